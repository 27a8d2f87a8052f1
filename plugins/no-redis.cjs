// In place of the Redis client that nobody uses (plugins/preload.ts).
'use strict'

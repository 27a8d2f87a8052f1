// Replaces the Redis client, which our instance never uses (plugins/preload.ts).
'use strict'

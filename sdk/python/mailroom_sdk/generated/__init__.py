# Written by `npm run generate` from operations/ and schemas/: change those.

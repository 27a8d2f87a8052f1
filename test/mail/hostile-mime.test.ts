import { hostileMime } from './hostile.ts'
import { expectHarmless } from './hostile-trial.ts'

describe('mail: hostile MIME', () => expectHarmless(hostileMime))

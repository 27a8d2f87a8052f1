import { hostileHtml } from './hostile.ts'
import { expectHarmless } from './hostile-trial.ts'

describe('mail: hostile HTML', () => expectHarmless(hostileHtml))

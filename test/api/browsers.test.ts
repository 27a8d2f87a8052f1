import { expect } from 'chai'
import { browserOf } from '../../api/pages/browsers.ts'

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const mobile = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'

const cases: readonly (readonly [userAgent: string, shown: string])[] = [
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Windows'],
  ['Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0', 'Firefox on Android'],
  [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${mobile} FxiOS/140.0 Mobile/15E148`, 'Firefox on iPhone'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/138.0.0.0 Safari/537.36`, 'Chrome on Windows'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${webKit} Chrome/138.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webKit} Chrome/138.0.0.0 Safari/537.36`, 'Chrome on ChromeOS'],
  [`Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) ${mobile} CriOS/138.0 Mobile Safari/604.1`, 'Chrome on iPad'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} HeadlessChrome/138.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0) ${webKit} Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0`, 'Edge on Windows'],
  [`Mozilla/5.0 (Linux; Android 10) ${webKit} Chrome/138.0 Mobile Safari/537.36 EdgA/138.0`, 'Edge on Android'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Chrome/138.0 Safari/537.36 OPR/120.0`, 'Opera on macOS'],
  [
    `Mozilla/5.0 (Linux; Android 10) ${webKit} SamsungBrowser/28.0 Chrome/130.0 Safari/537.36`,
    'Samsung Internet on Android',
  ],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${mobile} Version/18.5 Safari/605.1.15`, 'Safari on macOS'],
  [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${mobile} Version/18.5 Safari/604.1`, 'Safari on iPhone'],
  ['Firefox/1', 'Firefox'],
  // Unknown browsers are shown unchanged.
  ['', 'an unknown program'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['python-requests/2.32 Linux', 'python-requests/2.32 Linux'],
  ['NotFirefox/1', 'NotFirefox/1'],
  ['Mozilla/5.0 (Windows NT 10.0)', 'Mozilla/5.0 (Windows NT 10.0)'],
  ['<b>Firefox</b>', '<b>Firefox</b>'],
  ['x'.repeat(200), 'x'.repeat(60)],
]
describe('pages: browsers', () => {
  for (const [userAgent, shown] of cases)
    it(`${shown}: ${userAgent}`, () => expect(browserOf(userAgent)).to.equal(shown))
})

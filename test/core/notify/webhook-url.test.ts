import { expect } from 'chai'
import { allowedUrl } from '../../../core/notify/webhook-url.ts'
import { Failure } from '../../../schemas/failures.ts'

const notPublic = /public address/
const notHttps = /https/
const hasLogin = /user name/
const otherPort = /other protocols/
const noUrl = /valid URL/

describe('the URL of an endpoint', () => {
  const same = [
    'https://hooks.example/',
    'https://hooks.example/in?a=1&b=%20',
    'https://hooks.example:8443/in',
    'https://hooks.example:1024/',
    'https://hooks.example:3000/',
    'https://hooks.example:8080/',
    'https://hooks.example:65535/',
    'https://localhost.com/',
    'https://notlocal/',
    'https://internal.example/',
    'https://127.0.0.1.example/',
    'https://172.32.0.1/',
    'https://100.128.0.1/',
    'https://8.8.8.8/in',
    'https://[2606:4700:4700::1111]/in',
    'https://localhost.example/',
    'https://mylocal/in/10.0.0.1',
    'https://xn--bcher-kva.example/',
    'https://hooks.example//twice',
  ]
  for (const url of same) it(`takes ${url}`, () => expect(allowedUrl(url, false)).to.equal(url))

  const written: readonly (readonly [string, string])[] = [
    ['https://hooks.example', 'https://hooks.example/'],
    ['HTTPS://Hooks.EXAMPLE/In', 'https://hooks.example/In'],
    ['https://hooks.example:443/in', 'https://hooks.example/in'],
    ['https://hooks.example:0443/', 'https://hooks.example/'],
    ['https://hooks.example/a/../b/./c', 'https://hooks.example/b/c'],
    ['https://hooks.example/a/%2e%2e/b', 'https://hooks.example/b'],
    ['https://hooks.example./in', 'https://hooks.example/in'],
    ['https://hooks.example/in#part', 'https://hooks.example/in'],
    ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
    ['https://ｈooks.example/', 'https://hooks.example/'],
    ['https://hooks。example/', 'https://hooks.example/'],
    ['https:\\\\hooks.example\\in', 'https://hooks.example/in'],
    [' https://hooks.example/\n', 'https://hooks.example/'],
    ['https://@hooks.example/', 'https://hooks.example/'],
    ['https://0x8080808/', 'https://8.8.8.8/'],
    ['https://134744072/', 'https://8.8.8.8/'],
    ['https://[2606:4700:4700:0:0::1111]/', 'https://[2606:4700:4700::1111]/'],
  ]
  for (const [given, url] of written)
    it(`writes ${given} as ${url}`, () => {
      expect(allowedUrl(given, false)).to.equal(url)
      expect(allowedUrl(url, false)).to.equal(url)
    })

  const refused: readonly (readonly [RegExp, ...string[]])[] = [
    [notPublic, 'https://127.0.0.1/', 'https://127.1/', 'https://0x7f.1/', 'https://2130706433/', 'https://0/'],
    [notPublic, 'https://0177.0.0.1/', 'https://017700000001/', 'https://127.0.0.1./', 'https://127.0.0.1../'],
    [notPublic, 'https://１２７.0.0.1/', 'https://127。0。0。1/', 'https://%31%32%37.0.0.1/', 'https://①②⑦.0.0.1/'],
    [notPublic, 'https://169.254.169.254/latest/', 'https://10.0.0.1/', 'https://100.64.0.1/', 'https://192.0.2.1/'],
    [notPublic, 'https://[::]/', 'https://[::1]/', 'https://[::7f00:1]/', 'https://[::127.0.0.1]/'],
    [notPublic, 'https://[::a9fe:a9fe]/', 'https://[::ffff:127.0.0.1]/', 'https://[::ffff:a9fe:a9fe]/'],
    [
      notPublic,
      'https://[64:ff9b::7f00:1]/',
      'https://[2002:7f00:1::]/',
      'https://[2001:db8::1]/',
      'https://[fd00::1]/',
    ],
    [notPublic, 'https://localhost/', 'https://LOCALHOST./', 'https://localhost../', 'https://ｌocalhost/'],
    [notPublic, 'https://a.localhost/', 'https://printer.local/', 'https://printer.local./', 'https://local/'],
    [notHttps, 'http://hooks.example/', 'ftp://hooks.example/', 'javascript:alert(1)', 'file:///etc/passwd', 'data:,x'],
    [
      notPublic,
      'https://metadata.google.internal/',
      'https://internal/',
      'https://router.home.arpa/',
      'https://HOME.ARPA./',
    ],
    [notPublic, 'https://127.255.255.254/', 'https://0.0.0.0/', 'https://255.255.255.255/', 'https://224.0.0.1/'],
    [notPublic, 'https://172.16.0.1/', 'https://172.31.255.255/', 'https://192.168.1.1/', 'https://198.18.0.1/'],
    [notPublic, 'https://0xA9FEA9FE/', 'https://0251.0376.0251.0376/', 'https://2852039166/', 'https://169.16689662/'],
    [notPublic, 'https://10.1/', 'https://0x0a.0.1/', 'https://012.1/', 'https://192.168.257/'],
    [notPublic, 'https://[::ffff:10.0.0.1]/', 'https://[::ffff:0:127.0.0.1]/', 'https://[0:0:0:0:0:ffff:7f00:1]/'],
    [notPublic, 'https://[64:ff9b::10.0.0.1]/', 'https://[64:ff9b:1::7f00:1]/', 'https://[64:ff9b::808:808]/'],
    [notPublic, 'https://[2002:a00:1::]/', 'https://[2002:c0a8:101::1]/', 'https://[2001:0:53aa:64c:0:0:80ff:fffe]/'],
    [
      notPublic,
      'https://[fe80::1]/',
      'https://[fec0::1]/',
      'https://[ff02::1]/',
      'https://[fc00::]/',
      'https://[100::1]/',
    ],
    [notPublic, 'https://[5f00::1]/', 'https://[2001:10::1]/', 'https://[3fff::1]/', 'https://[4000::1]/'],
    [
      otherPort,
      'https://hooks.example:1/',
      'https://hooks.example:22/',
      'https://hooks.example:25/',
      'https://8.8.8.8:53/',
    ],
    [otherPort, 'https://hooks.example:80/', 'https://hooks.example:465/', 'https://hooks.example:587/'],
    [otherPort, 'https://hooks.example:993/', 'https://hooks.example:0/', 'https://hooks.example:2049/'],
    [otherPort, 'https://hooks.example:3306/', 'https://hooks.example:6379/', 'https://[2606:4700:4700::1111]:6667/'],
    [otherPort, 'https://hooks.example:27017/', 'https://hooks.example:11211/', 'https://hooks.example:10080/'],
    [hasLogin, 'https://a@hooks.example/', 'https://a:b@hooks.example/', 'https://:b@hooks.example/'],
    [hasLogin, 'https://hooks.example:80@127.0.0.1/', 'https://hooks.example%23@127.0.0.1/'],
    [noUrl, '', 'hooks.example', 'https://', 'https://hooks.example:99999/', 'https://[::1', 'https://1.2.3.4.5/'],
    [noUrl, 'https://256.1.1.1/', 'https://a b/', 'https://[fe80::1%25eth0]/'],
  ]
  for (const [why, ...urls] of refused)
    for (const url of urls)
      it(`refuses ${url || 'none'}`, () => {
        expect(() => allowedUrl(url, false))
          .to.throw(Failure, why)
          .that.includes({ code: 'validation_error' })
          .with.nested.property('detail.param', 'url')
      })

  it('is refused in at least 60 cases', () => expect(refused.flatMap(([, ...urls]) => urls).length).to.be.at.least(60))

  const closed: readonly (readonly [string, string | RegExp])[] = [
    ['http://127.0.0.1:8080/in', 'http://127.0.0.1:8080/in'],
    ['http://0x7f.1:80/in', 'http://127.0.0.1/in'],
    ['http://10.0.0.1:25/', 'http://10.0.0.1:25/'],
    ['https://localhost./', 'https://localhost/'],
    ['http://a@127.0.0.1/', hasLogin],
    ['ftp://127.0.0.1/', notHttps],
  ]
  for (const [given, outcome] of closed)
    it(`in a closed network ${typeof outcome === 'string' ? `writes ${given} as ${outcome}` : `refuses ${given}`}`, () => {
      if (typeof outcome === 'string') expect(allowedUrl(given, true)).to.equal(outcome)
      else expect(() => allowedUrl(given, true)).to.throw(Failure, outcome)
    })
})

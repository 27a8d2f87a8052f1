import { expect } from 'chai'
import { claimsToBeAnother } from '../../../mail/authentication/impersonation.ts'
import { sameOrganisation } from '../../../mail/domain.ts'

const ownNames = ['acme', 'Orders Agent', 'Zoë Müller']
const ownDomain = 'acme.example'

const cases: readonly (readonly [string, string, string, boolean])[] = [
  ['no name', '', 'a@b.test', false],
  ['an ordinary name', 'Carol Danvers', 'carol@b.test', false],
  ['its own address as a name', 'carol@b.test', 'carol@b.test', false],
  ['an address of the same organisation', 'ceo@example.com', 'noreply@mail.example.com', false],
  ['an address of another domain', 'ceo@bank.test', 'x@evil.test', true],
  ['an address of another domain among words', 'The CEO (ceo@bank.test)', 'x@evil.test', true],
  ['an address with a full-width @', 'ceo＠bank.test', 'x@evil.test', true],
  ['an address with an invisible character in it', 'ceo@ba\u200bnk.test', 'x@evil.test', true],
  ['an @ that makes no address', 'Carol @ Work', 'carol@b.test', false],
  ["the mailbox's display name", 'Orders Agent', 'x@evil.test', true],
  ['it in other letters and spaces', 'ORDERS  agent', 'x@evil.test', true],
  ['it without marks', 'Zoe Muller', 'x@evil.test', true],
  ['it in Greek and Cyrillic look-alikes', 'Оrdеrѕ Agent', 'x@evil.test', true],
  ['it from its own domain', 'Orders Agent', 'agent@acme.example', false],
  ['it from below its own domain', 'Orders Agent', 'agent@mail.acme.example', false],
  ['it among other words', 'Orders Agent of somebody', 'x@evil.test', false],
  ['a name that is too short to be a sign', 'Acme', 'x@evil.test', false],
  ["the mailbox's domain", 'acme.example Support', 'x@evil.test', true],
  ['a domain that only contains it', 'notacme.example Support', 'x@evil.test', false],
  ['Latin and Cyrillic in one word', 'Pаypal', 'x@evil.test', true],
  ['Latin and Cyrillic in words of their own', 'Ivan Иванов', 'ivan@b.test', false],
  ['Cyrillic alone', 'Анна Петрова', 'anna@b.test', false],
  ['Japanese with Latin', '田中 Taro', 'taro@b.test', false],
]
describe('claimsToBeAnother', () => {
  for (const [what, name, address, expected] of cases)
    it(what, () =>
      expect(claimsToBeAnother({ name, address, ownNames, ownDomain, related: sameOrganisation })).to.equal(expected),
    )
})

/** People who have signed up, for tests of what they may do. */
import { createSession } from '../../core/access/sessions.ts'
import { erasePerson } from '../../core/people/erase-person.ts'
import { joinAccount } from '../../core/people/members.ts'
import { hashPassword } from '../../core/people/passwords.ts'
import type { Context } from '../../core/process/context.ts'
import { newId } from '../../schemas/ids.ts'
import type { Role } from '../../schemas/scopes.ts'
import { insertPerson } from '../../store/people.ts'
import { browser, type Person } from '../peers/person.ts'
import type { Door } from './door.ts'

export type KnownPerson = { readonly id: string; readonly email: string; readonly password: string }

export const testPassword = 'correct horse battery staple'

let people = 0
/** One password hash for all people of this process, because a hash takes as long as a test. */
let kept: Promise<string> | undefined

/** Creates a person, with a role in an account if one is given. */
export async function makePerson(
  { ctx }: Pick<Door, 'ctx'>,
  {
    role,
    accountId,
    email = `person${++people}@home.example`,
  }: { role?: Role; accountId?: string; email?: string } = {},
): Promise<KnownPerson> {
  const at = ctx.clock.now()
  const id = newId('usr', at)
  kept ??= hashPassword(ctx, testPassword)
  const passwordHash = await kept
  await insertPerson(ctx.store, { _id: id, email, name: 'Ann', passwordHash, createdAt: at })
  if (role !== undefined && accountId !== undefined) await joinAccount(ctx, { accountId, personId: id, role })
  return { id, email, password: testPassword }
}

/** Starts a session of a person. */
export async function signedIn(
  { ctx, http }: Pick<Door, 'ctx' | 'http'>,
  { id: personId }: Pick<KnownPerson, 'id'>,
  accountId: string | null = null,
): Promise<Person> {
  const { token } = await createSession(ctx, { personId, accountId, peerAddress: '192.0.2.1', userAgent: 'test' })
  return browser(http, `mailroom_session=${token}`)
}

export type SignedIn = Person & KnownPerson

/** Creates a person who is signed in, with a role in an account if one is given. */
export async function newPerson(
  door: Pick<Door, 'ctx' | 'http'>,
  { accountId, role = 'owner' }: { accountId?: string; role?: Role } = {},
): Promise<SignedIn> {
  const person = await makePerson(door, accountId === undefined ? {} : { accountId, role })
  return Object.assign(await signedIn(door, person, accountId ?? null), person)
}

/** Begins the erasure of a person, up to the moment at which the person would be deleted. `finish` does the rest. */
export async function beginErasure(ctx: Context, personId: string): Promise<{ finish(): Promise<void> }> {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const people = Object.assign(Object.create(ctx.store.people), {
    async deleteMany(...given: Parameters<typeof ctx.store.people.deleteMany>) {
      reach()
      await gate
      return ctx.store.people.deleteMany(...given)
    },
  })
  const erasure = erasePerson({ ...ctx, store: { ...ctx.store, people } }, personId)
  await reached
  return {
    async finish() {
      open()
      await erasure
    },
  }
}

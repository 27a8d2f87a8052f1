/** The mails that the service writes to people. */
import type { Role } from '../../schemas/scopes.ts'
import type { Notice } from '../send/notice.ts'

const ignore = 'If you did not ask for this, ignore this mail: nothing happens without you.'

export const verificationNotice = (to: string, link: string): Notice => ({
  to,
  subject: 'Verify your e-mail address',
  text: `Somebody signed up for Mailroom with this address and a password.\n\nIf it was you, open this link within a day:\n\n${link}\n\n${ignore}\n`,
})

export const knownNotice = (to: string, baseUrl: string): Notice => ({
  to,
  subject: 'You have signed up already',
  text: `Somebody tried to sign up for Mailroom with this address, for which there is a person already.\n\nIf it was you, sign in, or ask for a new password there:\n\n${baseUrl}/sign-in\n\n${ignore}\n`,
})

export const resetNotice = (to: string, link: string): Notice => ({
  to,
  subject: 'Choose a new password',
  text: `Somebody asked for a new password for this address.\n\nIf it was you, open this link within an hour:\n\n${link}\n\n${ignore}\n`,
})

export const changedNotice = (to: string, baseUrl: string): Notice => ({
  to,
  subject: 'Your password was changed',
  text: `The password of this address was changed, and everybody who was signed in with it is signed out. Programs that you connected go on.\n\nIf it was not you, choose another one at once, and disconnect programs that you do not know:\n\n${baseUrl}/reset\n${baseUrl}/settings/programs\n`,
})

/** Changes to the ways in which a person signs in, other than the password: the subject, and what the change means. */
const wayChanges = {
  appAdded: ['An authenticator app was added', 'Signing in with the password also needs a code of the app.'],
  appRemoved: ['Your authenticator app was removed', 'Signing in needs the password alone.'],
  codesReplaced: ['Your recovery codes were replaced', 'Those of before sign nobody in.'],
  passkeyAdded: ['A passkey was added', 'It signs in without password and code.'],
  passkeyRemoved: ['A passkey was removed', 'It signs nobody in.'],
} as const

export const signInChangedNotice = (to: string, change: keyof typeof wayChanges, baseUrl: string): Notice => {
  const [subject, meaning] = wayChanges[change]
  return {
    to,
    subject,
    text: `${subject}. ${meaning}\n\nIf it was not you, choose another password at once, and see to the rest there:\n\n${baseUrl}/reset\n${baseUrl}/settings/security\n`,
  }
}

export const invitationNotice = (
  to: string,
  { account, inviter, role, link }: { account: string; inviter: string; role: Role; link: string },
): Notice => ({
  to,
  subject: 'You are invited to an account',
  text: `${inviter} invites you to the Mailroom account "${account}", as ${role}.\n\nTo accept, open this link within 7 days:\n\n${link}\n\nIf you do not know what this is about, ignore this mail.\n`,
})

export const endpointOffNotice = (
  to: string,
  { id, url, failingSince, baseUrl }: { id: string; url: string; failingSince: Date | null; baseUrl: string },
): Notice => ({
  to,
  subject: 'A webhook endpoint was turned off',
  text: `Mailroom has turned off this webhook endpoint, because every delivery to it failed for 5 days:\n\n${url}\n\nIts id is ${id}.${failingSince === null ? '' : ` The first of these failures was on ${failingSince.toUTCString()}.`} What waited for it is not delivered.\n\nThe delivery log says what was answered:\n\nGET ${baseUrl}/api/v1/webhooks/${id}/deliveries\n\nWhen it answers again, turn it on by PATCH ${baseUrl}/api/v1/webhooks/${id} with {"enabled": true}, and have the events of these days delivered again by POST ${baseUrl}/api/v1/webhooks/${id}/redeliver.\n`,
})

export const answerNotice = (
  to: string,
  { text, phone, status, answer }: { text: string; phone: string | null; status: string; answer: string },
): Notice => ({
  to,
  subject: `Your request was ${status}`,
  text: `You asked:\n\n${[text, phone ?? ''].filter((line) => line !== '').join('\n')}\n\nThe request was ${status}.${answer === '' ? '' : ` The administrator writes:\n\n${answer}`}\n`,
})

export const approvalNotice = (to: string, account: string, baseUrl: string): Notice => ({
  to,
  subject: 'Mail of an agent waits for your approval',
  text: `Agents of the Mailroom account "${account}" want to send mail, which waits until somebody has approved it.\n\nRead it, and approve or refuse it there:\n\n${baseUrl}/settings/approvals\n\nWhat nobody decides about is not sent.\n`,
})

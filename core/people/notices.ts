/** The mails that the service writes to people. */
import type { Role } from '../../schemas/scopes.ts'
import type { Notice } from '../send/notice.ts'

const ignore = 'If this was not you, you can ignore this mail: nothing has been changed.'

export const verificationNotice = (to: string, link: string): Notice => ({
  to,
  subject: 'Verify your e-mail address',
  text: `Somebody signed up for Mailroom with this address and a password.\n\nIf it was you, open this link within a day to verify the address:\n\n${link}\n\n${ignore}\n`,
})

export const knownNotice = (to: string, baseUrl: string): Notice => ({
  to,
  subject: 'You have already signed up',
  text: `Somebody tried to sign up for Mailroom with this address, but you have already signed up.\n\nIf it was you, sign in or reset your password here:\n\n${baseUrl}/sign-in\n\n${ignore}\n`,
})

export const resetNotice = (to: string, link: string): Notice => ({
  to,
  subject: 'Choose a new password',
  text: `Somebody asked to reset the Mailroom password for this address.\n\nIf it was you, open this link within an hour to choose a new password:\n\n${link}\n\n${ignore}\n`,
})

export const changedNotice = (to: string, baseUrl: string): Notice => ({
  to,
  subject: 'Your password was changed',
  text: `Your Mailroom password was changed, and all sessions were signed out. Programs that you connected keep their access.\n\nIf this was not you, choose a new password at once:\n\n${baseUrl}/reset\n\nThen disconnect any programs that you do not recognise:\n\n${baseUrl}/settings/programs\n`,
})

/** Changes to the ways in which a person signs in, other than the password: the subject, and what the change means. */
const wayChanges = {
  appAdded: ['An authenticator app was added', 'Signing in with your password now also needs a code from the app.'],
  appRemoved: ['Your authenticator app was removed', 'Signing in now needs only your password.'],
  codesReplaced: ['Your recovery codes were replaced', 'The old codes no longer work.'],
  passkeyAdded: ['A passkey was added', 'It signs you in without a password or a code.'],
  passkeyRemoved: ['A passkey was removed', 'It can no longer be used to sign in.'],
} as const

export const signInChangedNotice = (to: string, change: keyof typeof wayChanges, baseUrl: string): Notice => {
  const [subject, meaning] = wayChanges[change]
  return {
    to,
    subject,
    text: `${subject}. ${meaning}\n\nIf this was not you, choose a new password at once:\n\n${baseUrl}/reset\n\nThen check your authenticator app and your passkeys:\n\n${baseUrl}/settings/security\n`,
  }
}

export const invitationNotice = (
  to: string,
  { account, inviter, role, link }: { account: string; inviter: string; role: Role; link: string },
): Notice => ({
  to,
  subject: 'You are invited to an account',
  text: `${inviter} invites you to join the Mailroom account "${account}" with the role "${role}".\n\nTo accept, open this link within 7 days:\n\n${link}\n\nIf you did not expect this invitation, you can ignore this mail.\n`,
})

export const endpointOffNotice = (
  to: string,
  { id, url, failingSince, baseUrl }: { id: string; url: string; failingSince: Date | null; baseUrl: string },
): Notice => ({
  to,
  subject: 'A webhook endpoint was turned off',
  text: `Mailroom has turned off this webhook endpoint, because every delivery to it failed for 5 days:\n\n${url}\n\nIts id is ${id}.${failingSince === null ? '' : ` The first of these failures was on ${failingSince.toUTCString()}.`} Deliveries that were waiting for it were skipped.\n\nThe delivery log shows what the endpoint answered:\n\nGET ${baseUrl}/api/v1/webhooks/${id}/deliveries\n\nOnce the endpoint works again, turn it on:\n\nPATCH ${baseUrl}/api/v1/webhooks/${id} with {"enabled": true}\n\nTo have the events of these days delivered again:\n\nPOST ${baseUrl}/api/v1/webhooks/${id}/redeliver\n`,
})

export const answerNotice = (
  to: string,
  { text, phone, status, answer }: { text: string; phone: string | null; status: string; answer: string },
): Notice => ({
  to,
  subject: `Your request was ${status}`,
  text: `You asked the administrator:\n\n${[text, phone ?? ''].filter((line) => line !== '').join('\n')}\n\nYour request was ${status}.${answer === '' ? '' : ` The administrator wrote:\n\n${answer}`}\n`,
})

export const approvalNotice = (to: string, account: string, baseUrl: string): Notice => ({
  to,
  subject: 'Mail from an agent is waiting for your approval',
  text: `Agents of the Mailroom account "${account}" want to send mail. It waits until somebody approves it.\n\nRead it, and approve or refuse it here:\n\n${baseUrl}/settings/approvals\n\nMail that nobody approves is not sent.\n`,
})

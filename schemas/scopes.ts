/** What a key may be allowed to do (interface.md, Scopes). */
export const scopes = {
  'mail:read': 'List, read and search messages; folders; contacts; read Intake messages.',
  'mail:send': 'Send mail (counts against the send allowance).',
  'mail:write': 'Flag, move, mark spam, delete messages.',
  'mailboxes:read': 'List mailboxes.',
  'mailboxes:write': 'Create and update mailboxes.',
  'dns:read': "Query a domain's live DNS records.",
  'dns:write': "Edit a domain's live DNS records.",
  'domains:read': 'List domains (account keys only).',
  'domains:write': 'Manage domains (account keys only).',
  'aliases:read': 'List aliases (account keys only).',
  'aliases:write': 'Manage aliases (account keys only).',
  'drive:read': 'List Drive files and folders; get download URLs.',
} as const

export type Scope = keyof typeof scopes

export const allScopes = Object.keys(scopes) as readonly Scope[]

/** The most an agent key may hold: mailbox, DNS and mail scopes (interface.md, Key kinds). */
export const agentScopes: readonly Scope[] = allScopes.filter((scope) => /^(mail|mailboxes|dns):/.test(scope))

/** The scopes of the key of a signup (decisions.md 3, Signup key). */
export const signupScopes: readonly Scope[] = [
  'mail:read',
  'mail:send',
  'mail:write',
  'mailboxes:read',
  'mailboxes:write',
]

export const keyKinds = ['account', 'agent'] as const
export type KeyKind = (typeof keyKinds)[number]

/** What a person may do in an account: a role is a set of scopes (decisions.md 2, People). */
export const roles = {
  owner: allScopes,
  member: allScopes.filter((scope) => /^(mail|mailboxes):/.test(scope)),
  reader: allScopes.filter((scope) => scope.endsWith(':read')),
} as const satisfies { readonly [role: string]: readonly Scope[] }

export type Role = keyof typeof roles

export const roleNames = Object.keys(roles) as readonly Role[]

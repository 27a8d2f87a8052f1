import { listLabels as list } from '../core/mailbox/labels.ts'
import { AddressPart, page } from '../schemas/fields.ts'
import { object } from '../schemas/infer.ts'
import { LabelCount } from '../schemas/threads.ts'
import { operation } from './registry.ts'

export const listLabels = operation({
  name: 'labels.list',
  summary: "The labels of an agent's mailbox and how many messages have each.",
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/labels',
  tools: [
    {
      name: 'list_labels',
      description: 'The labels in use with counts. Use it before label_message, to reuse labels.',
      toolset: 'mail',
      effect: 'read',
      expose: ['address'],
    },
  ],
  input: object({ address: AddressPart }),
  output: page('labels', LabelCount),
  errors: ['agent_inbox_only'],
  async handle({ ctx, principal }, { address }) {
    return { labels: await list(ctx, principal, address), next: null }
  },
})

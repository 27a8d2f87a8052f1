import { deriveId, type Id } from '../../schemas/ids.ts'

/** The id of what is attached to a message at that path (`AttachmentInfo.partId`): always the same. */
export const attachmentIdOf = (messageId: string, partId: string): Id<'att'> => deriveId('att', messageId, partId)

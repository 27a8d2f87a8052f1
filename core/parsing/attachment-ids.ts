import { deriveId, type Id } from '../../schemas/ids.ts'

/** The id of the attachment at a path (`AttachmentInfo.partId`) of a message: always the same for the same path. */
export const attachmentIdOf = (messageId: string, partId: string): Id<'att'> => deriveId('att', messageId, partId)

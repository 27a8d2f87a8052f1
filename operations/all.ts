/** Every operation, in the order of the reference. A new one is listed here. */
import {
  claimAccount,
  eraseAccount,
  getAccount,
  getDailyUsage,
  getExport,
  getSetup,
  getUsage,
  requestExport,
  updateAccount,
} from './account.ts'
import { createAlias, deleteAlias, listAliases } from './aliases.ts'
import { decideApproval, getApproval, listApprovals } from './approvals.ts'
import { listAudit } from './audit.ts'
import { getBatch, sendBatch } from './batches.ts'
import { createClaim } from './claims.ts'
import { getContacts } from './contacts.ts'
import { getDelivery, listDeliveries, redeliverEvents, resendDelivery, testWebhook } from './deliveries.ts'
import { getDeliveryStatus } from './delivery-status.ts'
import { createDnsRecord, deleteDnsRecord, listDnsRecords, updateDnsRecord } from './dns-records.ts'
import { getDomainReports } from './domain-reports.ts'
import { createDomain, deleteDomain, getDomain, listDomains, updateDomain, verifyDomain } from './domains.ts'
import { createDraft, deleteDraft, getDraft, listDrafts, sendDraft, updateDraft } from './drafts.ts'
import { getDownloadUrl, listDrive } from './drive.ts'
import { getEmail, listEmails, sendEmail } from './emails.ts'
import { getEvent, listEvents, streamEvents } from './events.ts'
import { getFile } from './files.ts'
import { createFolder, deleteFolder, listFolders, updateFolder } from './folders.ts'
import { deleteGrant, listGrants } from './grants.ts'
import { createIntake, deleteIntake, getIntake, listIntakes, testIntake, updateIntake } from './intake.ts'
import { deleteIntakeMessage, getIntakeMessage, listIntakeMessages, revokeIntakeLinks } from './intake-records.ts'
import { createKey, createPassword, deleteKey, deletePassword, listKeys, listPasswords } from './keys.ts'
import { listLabels } from './labels.ts'
import { backfillLens, listIntakeTemplates, testLens } from './lens.ts'
import { getLists, setLists } from './lists.ts'
import { createMailbox, deleteMailbox, getMailbox, listMailboxes, updateMailbox } from './mailboxes.ts'
import { changeMember, inviteMember, listMembers, removeMember } from './members.ts'
import { claimMessage, emptyTrash, markAllRead, releaseMessage, restoreMessage } from './message-verbs.ts'
import {
  deleteMessage,
  getAttachment,
  getMessage,
  getMessageDocument,
  getRawMessage,
  listMessages,
  updateMessage,
} from './messages.ts'
import {
  createCustomer,
  createCustomerKey,
  deleteCustomer,
  deleteCustomerKey,
  getCustomer,
  getCustomerUsage,
  listCustomerKeys,
  listCustomers,
  pauseCustomer,
  resumeCustomer,
  updateCustomer,
} from './partner-customers.ts'
import { getPartnerEvent, listPartnerEvents } from './partner-events.ts'
import {
  createPartnerWebhook,
  deletePartnerWebhook,
  getPartnerWebhook,
  listPartnerDeliveries,
  listPartnerWebhooks,
  rotatePartnerSecret,
  testPartnerWebhook,
  updatePartnerWebhook,
} from './partner-webhooks.ts'
import { acceptInvitation, changeMe, createPerson, resetPassword, verifyPerson } from './people.ts'
import type { Operation } from './registry.ts'
import { createRequest, listRequests } from './requests.ts'
import { moveTestClock, receiveTestMail } from './sandbox.ts'
import { cancelScheduled, listScheduled, updateScheduled } from './scheduled.ts'
import { searchEverywhere, searchMessages } from './search.ts'
import { createPasskey, getTotp, listPasskeys, removePasskey, removeTotp, setTotp } from './second-factors.ts'
import { forwardMessage, replyMessage, sendMessage } from './sending.ts'
import {
  beginPasskeySession,
  beginSession,
  endOtherSession,
  endSession,
  getSession,
  listSessions,
  switchSession,
} from './session.ts'
import { createSignup } from './signup.ts'
import { addSuppression, getSuppression, listSuppressions, removeSuppression } from './suppressions.ts'
import {
  createTemplate,
  deleteTemplate,
  getTemplate,
  listTemplates,
  previewTemplate,
  updateTemplate,
} from './templates.ts'
import { getThread, listThreads } from './threads.ts'
import { claimNextMessage, getVerification, waitForMessage } from './wait.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from './webhooks.ts'

export const operations: readonly Operation[] = [
  createSignup,
  createPerson,
  verifyPerson,
  resetPassword,
  changeMe,
  acceptInvitation,
  beginSession,
  beginPasskeySession,
  getSession,
  switchSession,
  endSession,
  listSessions,
  endOtherSession,
  getTotp,
  setTotp,
  removeTotp,
  listPasskeys,
  createPasskey,
  removePasskey,
  createClaim,
  claimAccount,
  getAccount,
  updateAccount,
  getSetup,
  getUsage,
  getDailyUsage,
  listAudit,
  requestExport,
  getExport,
  eraseAccount,
  listMembers,
  inviteMember,
  changeMember,
  removeMember,
  listRequests,
  createRequest,
  listKeys,
  createKey,
  deleteKey,
  listGrants,
  deleteGrant,
  listMailboxes,
  createMailbox,
  getMailbox,
  updateMailbox,
  deleteMailbox,
  getLists,
  setLists,
  listPasswords,
  createPassword,
  deletePassword,
  listMessages,
  waitForMessage,
  claimNextMessage,
  getVerification,
  searchMessages,
  searchEverywhere,
  getMessage,
  getRawMessage,
  getMessageDocument,
  getAttachment,
  getFile,
  listDrive,
  getDownloadUrl,
  updateMessage,
  deleteMessage,
  restoreMessage,
  claimMessage,
  releaseMessage,
  markAllRead,
  emptyTrash,
  listFolders,
  createFolder,
  updateFolder,
  deleteFolder,
  listThreads,
  getThread,
  listLabels,
  getContacts,
  sendMessage,
  replyMessage,
  forwardMessage,
  listDrafts,
  createDraft,
  getDraft,
  updateDraft,
  deleteDraft,
  sendDraft,
  listScheduled,
  updateScheduled,
  cancelScheduled,
  sendBatch,
  getBatch,
  sendEmail,
  listEmails,
  getEmail,
  listApprovals,
  getApproval,
  decideApproval,
  listTemplates,
  getTemplate,
  createTemplate,
  updateTemplate,
  deleteTemplate,
  previewTemplate,
  listSuppressions,
  getSuppression,
  addSuppression,
  removeSuppression,
  getDeliveryStatus,
  listDomains,
  createDomain,
  getDomain,
  verifyDomain,
  updateDomain,
  deleteDomain,
  listDnsRecords,
  createDnsRecord,
  updateDnsRecord,
  deleteDnsRecord,
  getDomainReports,
  listAliases,
  createAlias,
  deleteAlias,
  listIntakes,
  createIntake,
  listIntakeTemplates,
  listIntakeMessages,
  getIntakeMessage,
  revokeIntakeLinks,
  deleteIntakeMessage,
  getIntake,
  updateIntake,
  deleteIntake,
  testIntake,
  testLens,
  backfillLens,
  listEvents,
  getEvent,
  streamEvents,
  receiveTestMail,
  moveTestClock,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  rotateWebhookSecret,
  testWebhook,
  redeliverEvents,
  deleteWebhook,
  listDeliveries,
  getDelivery,
  resendDelivery,
  listCustomers,
  createCustomer,
  getCustomer,
  updateCustomer,
  deleteCustomer,
  pauseCustomer,
  resumeCustomer,
  listCustomerKeys,
  createCustomerKey,
  deleteCustomerKey,
  getCustomerUsage,
  listPartnerWebhooks,
  createPartnerWebhook,
  getPartnerWebhook,
  updatePartnerWebhook,
  rotatePartnerSecret,
  testPartnerWebhook,
  listPartnerDeliveries,
  deletePartnerWebhook,
  listPartnerEvents,
  getPartnerEvent,
]

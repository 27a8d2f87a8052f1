/** Organisations that send mail for others, by the domain that their servers, signatures and return paths are under. */
import { organisationOf } from '../domain.ts'

const senders: { readonly [domain: string]: string } = {
  'amazonses.com': 'Amazon SES',
  'ccsend.com': 'Constant Contact',
  'constantcontact.com': 'Constant Contact',
  'createsend.com': 'Campaign Monitor',
  'exacttarget.com': 'Salesforce Marketing Cloud',
  'facebookmail.com': 'Facebook',
  'fastmail.com': 'Fastmail',
  'freshdesk.com': 'Freshdesk',
  'freshemail.io': 'Freshdesk',
  'gappssmtp.com': 'Google Workspace',
  'gmx.net': 'GMX',
  'google.com': 'Google',
  'googlemail.com': 'Google',
  'hubspotemail.net': 'HubSpot',
  'icloud.com': 'iCloud',
  'intercom-mail.com': 'Intercom',
  'klaviyomail.com': 'Klaviyo',
  'mail.ru': 'Mail.ru',
  'mailchimpapp.net': 'Mailchimp',
  'mailgun.net': 'Mailgun',
  'mailgun.org': 'Mailgun',
  'mailin.fr': 'Brevo',
  'mailjet.com': 'Mailjet',
  'mandrillapp.com': 'Mailchimp Transactional',
  'mcdlv.net': 'Mailchimp',
  'mcsv.net': 'Mailchimp',
  'messagingengine.com': 'Fastmail',
  'mimecast.com': 'Mimecast',
  'mktomail.com': 'Marketo',
  'mtasv.net': 'Postmark',
  'onmicrosoft.com': 'Microsoft 365',
  'outlook.com': 'Microsoft 365',
  'pphosted.com': 'Proofpoint',
  'protonmail.ch': 'Proton Mail',
  'resend.com': 'Resend',
  'rsgsv.net': 'Mailchimp',
  'salesforce.com': 'Salesforce',
  'sendgrid.net': 'SendGrid',
  'sendinblue.com': 'Brevo',
  'shopify.com': 'Shopify',
  'shopifyemail.com': 'Shopify',
  'sparkpostmail.com': 'SparkPost',
  'stripe.com': 'Stripe',
  'yahoo.com': 'Yahoo',
  'yandex.net': 'Yandex',
  'yandex.ru': 'Yandex',
  'zendesk.com': 'Zendesk',
  'zoho.com': 'Zoho',
  'zoho.eu': 'Zoho',
  'zohomail.com': 'Zoho',
}

/** The name of the organisation behind a domain: its own name where it is known, else the domain that it registered. */
export function senderNameOf(domain: string): string {
  const organisation = organisationOf(domain)
  // Private suffixes, such as those of cloud services, are not organisations of their own.
  return knownAs(organisation) ?? knownAs(organisation.split('.').slice(-2).join('.')) ?? organisation
}

const knownAs = (domain: string) => (Object.hasOwn(senders, domain) ? senders[domain] : undefined)

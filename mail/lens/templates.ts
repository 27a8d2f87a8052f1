/** Lists of fields to start from (interface.md, Lens field definition). The engine treats their fields like any others. */
import type { LensField } from './source.ts'

export type LensTemplate = { readonly name: string; readonly fields: readonly LensField[] }

const field = (key: string, type: LensField['type'], description: string): LensField => ({ key, type, description })

export const lensTemplates: readonly LensTemplate[] = [
  {
    name: 'Invoice',
    fields: [
      field('invoice_number', 'text', 'Number of the invoice'),
      field('invoice_date', 'date', 'Date of the invoice'),
      field('due_date', 'date', 'Date by which the invoice is to be paid'),
      field('supplier', 'text', 'Company that sends the invoice'),
      field('total', 'number', 'Total amount to pay, with tax'),
      field('tax', 'number', 'Amount of tax (VAT) in the total'),
      field('currency', 'text', 'Currency of the total, as it is written'),
      field('iban', 'text', 'Bank account (IBAN) to pay to'),
    ],
  },
  {
    name: 'Order',
    fields: [
      field('order_number', 'text', 'Number of the order'),
      field('order_date', 'date', 'Date of the order'),
      field('customer_name', 'text', 'Name of the customer'),
      field('customer_email', 'email address', 'Email address of the customer'),
      field('items', 'list', 'Items that were ordered'),
      field('total', 'number', 'Total amount of the order, with tax and shipping'),
      field('delivery_date', 'date', 'Date of delivery'),
      field('paid', 'yes/no', 'Whether the order is paid'),
    ],
  },
  {
    name: 'Support ticket',
    fields: [
      field('ticket_number', 'text', 'Number of the ticket or case'),
      field('customer_name', 'text', 'Name of the customer who asks for help'),
      field('customer_email', 'email address', 'Email address of the customer'),
      field('product', 'text', 'Product that the customer asks about'),
      field('version', 'text', 'Version of the product'),
      field('error_message', 'text', 'Error message or error code'),
      field('since', 'date', 'Date since which the problem has existed'),
      field('urgent', 'yes/no', 'Whether the customer says that it is urgent'),
    ],
  },
  {
    name: 'Lead',
    fields: [
      field('name', 'text', 'Name of the person who asks'),
      field('company', 'text', 'Company of the person'),
      field('email', 'email address', 'Email address of the person'),
      field('phone', 'text', 'Phone number of the person'),
      field('interests', 'list', 'Products or services that the person is interested in'),
      field('budget', 'number', 'Budget of the project'),
      field('team_size', 'number', 'Number of employees or users'),
      field('start_date', 'date', 'Date on which the project is to start'),
      field('demo', 'yes/no', 'Whether the person wants a demo'),
    ],
  },
  {
    name: 'Job application',
    fields: [
      field('name', 'text', 'Name of the applicant'),
      field('email', 'email address', 'Email address of the applicant'),
      field('phone', 'text', 'Phone number of the applicant'),
      field('position', 'text', 'Position that the application is for'),
      field('skills', 'list', 'Skills of the applicant'),
      field('experience_years', 'number', 'Years of professional experience'),
      field('salary_expectation', 'number', 'Salary that the applicant expects'),
      field('available_from', 'date', 'Date from which the applicant can start'),
      field('relocation', 'yes/no', 'Whether the applicant would relocate'),
    ],
  },
]

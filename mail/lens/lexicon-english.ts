import type { Lexicon } from './meanings.ts'

export const en: Lexicon = {
  form: 'form | contact form | enquiry form',
  neutral:
    'of | the | a | an | your | our | my | its | for | is | are | be | to | in | on | by which | which | that | with | and | as | it | estimated | expected | preferred | desired | please | details | info | information | has | have | who | says | whether | from which | since which | existed | written | we | you | eur | usd | gbp | chf | euro | euros | actual | exact | full | current | at | this | or | s | annual | yearly | monthly | he | she | they | i | m | am | re | would like | want',
  invoice: 'invoice | inv | bill | invoices | fee note | tax invoice',
  order: 'order | orders | purchase order | po | ordered | po no | order ref',
  ticket: 'ticket | case | incident | issue | request | support ticket',
  number: 'number | no | nr | num | # | id | identifier | code | nbr',
  reference: 'reference | ref | sku | part no | article number | item number | item code',
  date: 'date | day | dated | on which',
  issued:
    'issued | issue date | date of issue | issued on | tax point | placed on | placed | created | raised | ordered on | invoiced on | raised on | billed on | order placed on | order placed | purchase date | bought on | purchased on | date placed | document date | bill date | invoiced | drawn up | prepared on',
  due: 'due | due date | payment due by | payable by | pay by | payment due | due by | to be paid | deadline | payment deadline | pay before | last day to pay | debit date | collection date | to be settled by | settle by | pay no later than | direct debit on | must be paid by | latest payment date | pay within | payable on | pay until | to be paid on | payment expected by | falls due | due for payment | payment date | last date to pay | will be debited on | to be debited on',
  delivery:
    'delivery | deliver by | delivered | arrives | estimated arrival | delivery by | ship date | deliver | arriving | delivery due | expected delivery | arriving on | delivery on | expected on | delivery slot | needed by | required by | wanted by | ship by | expected delivery date | requested delivery date | delivery requested | arrival date | to be delivered on | to be delivered | will arrive on | shipping on | dispatch date | delivered on | estimated delivery date',
  total:
    'total | grand total | total due | amount due | total payable | total amount | amount payable | balance due | amount paid | total paid | order total | invoice total | total to pay | amount to pay | amount charged | charged | total charged | order value | all in | altogether | you paid | you pay | to pay | balance | total cost | total price | payable | paid today | total incl vat | total including vat | now due | amount outstanding | outstanding | amount owed | outstanding balance | billed | sum total | total sum | total value | total bill | total inc vat | total inc tax | total with tax | amount to be paid | amount to be debited | final amount | final price | total including tax | to be debited | invoice value | bill total | total of your order | balance due | amount payable | now due | to pay now | left to pay | remaining to pay | remaining balance | remaining amount | still to pay | you owe | balance to pay | balance remaining | amount outstanding | total outstanding | total charged | amount charged | total to pay | total payable | order amount',
  amount: 'amount | sum | value',
  net: 'net | net amount | subtotal | sub total | net total | excl tax | excl vat | excluding vat | ex vat | before tax | goods | sub-total | merchandise | items total | items subtotal | net total excl vat',
  gross: 'gross | incl vat | incl tax | including vat | inc vat | including tax',
  tax: 'tax | vat | sales tax | gst | hst | tax amount | vat amount | vat included | included vat | tax included | of which vat | including vat of',
  shipping:
    'shipping | postage | shipping cost | delivery fee | handling | freight | carriage | transport | delivery charge | shipping and handling | p&p',
  discount: 'discount | rebate',
  currency: 'currency',
  iban: 'iban | bank account | account number | bank details',
  supplier:
    'supplier | vendor | seller | issuer | billed by | invoice from | sends | billed from | service provider | provider | contractor | merchant | invoiced by | issued by | payee | beneficiary',
  customer:
    'customer | client | buyer | ordered by | purchaser | bill to | ship to | deliver to | recipient | going to | sold to | billed to | shipped to | order from | ordered for | consignee | customer details | customer name | client name | purchased by | bought by | account holder | attention | attn | for the attention of | delivered to | parcel for',
  requester:
    'requester | reported by | requested by | reporter | submitted by | raised by | opened by | from | sent by | caller | affected user | who are you | visitor | enquirer | name of sender | who is writing | who is this | who wrote | on whose behalf | sent in by | filed by | logged for | entered for | reported on behalf of | contact who reported | submitter | complainant | user | end user | writer | contact made by',
  contact: 'contact | contact person | contact name | person',
  applicant: 'applicant | candidate',
  name: 'name | full name | first and last name | your name | called | first name and last name | is called | name is | full name of applicant',
  company:
    'company | organisation | organization | business | company name | firm | employer | institution | practice | organisation name | account name | school | on behalf of | organisation you work for | where do you work | company or organisation | trading as | legal name | works at | works for | where he works | comes from company | school or trust | company or organisation | practice | school | employer name | trading as | account name',
  email:
    'email | e-mail | mail | email address | e-mail address | mail address | work email | reply to | where can we write | reply address | write to | answer to | e mail | your email | contact email | email for replies | best email | email to reply to | reply email',
  phone:
    'phone | telephone | tel | mobile | cell | phone number | mobile number | mobile phone | telephone number | cell phone | t | direct | direct line | direct dial | call back | callback | number to ring | best number | ring | call | whatsapp | contact number | daytime phone | phone no | landline | call me on | call on | phone or mobile | telephone no | tel no | mob | cellphone | daytime number | how can we reach you by phone | best phone number | phone verified | verified phone',
  address: 'address | street | shipping address | billing address | postal address',
  product:
    'product | affected product | product purchased | purchased product | product bought | product concerned | product name | which product | product affected',
  device:
    'affected system | affected service | make model | make and model | system | device | application affected | affected application | software | model | app | package | programme | program | appliance | machine | module | platform | app name | hardware | equipment | concerns | relates to | product in question',
  item: 'item | items | article | articles | products | description | goods ordered | line items | bag | basket | cart | shopping bag | contents | what | your items | in this parcel | ordered items | in your basket | merchandise list | in the box | your basket',
  quantity: 'quantity | qty | pcs | pieces',
  price: 'price | unit price | rate | each',
  unit: 'unit | per unit',
  position: 'pos | line | item no',
  version:
    'version | affected version | affects version | affects versions | build | release | firmware | software version | app version | installed version | build number | version installed | running version | version in use | edition | version no | revision | app build | software release | patch level | os version',
  error:
    'error | error message | error text | error code | exception | message shown | on screen | screen message | message on screen | it says | what it says | shown message | error shown | display shows | log message | what appears | what you see | what does it say | appears on screen | error shown on screen | error description shown | displayed message | display | what the screen says | displayed error | code shown | fault code | code displayed | error displayed | message displayed | error received | message received | error shown to you | error details | exact error message | exact message | error as displayed | alert | alarm | warning | alarm message | alarm code | status code',
  message: 'message | text | comment | comments | note | notes',
  since:
    'since | start of problem | problem since | started | began | first seen | occurred on | since when | first noticed | first observed | happening since | start of issue | when did it start | occurred | first occurred | first happened | noticed on | problem start | started on | it began | problem exists since | issue since | error since | fault since | exists since | date of first occurrence | first occurrence | since what date | date of first fault | date of first error | date of first failure | date problem started | date issue began | date the problem began | problem began | issue began | issue started | problem started | occurring since | fault since | date of occurrence | date of incident | start of fault',
  urgent:
    'urgent | urgency | is it urgent | how urgent | how urgent is it | urgency level | very urgent | urgent request | is this urgent | how soon',
  priority: 'priority | severity',
  paid: 'paid | already paid | is paid | has been paid | payment received | paid in full | settled',
  payment: 'payment | payment method | method of payment',
  status: 'status | state',
  interest:
    'interest | interests | interested in | works required | work required | equipment wanted | equipment required | products of interest | services of interest | interested | topics | ticked | tick what you need | what do you need | what you need | needs | need | services required | services needed | wants | looking for | what we want | requirements | enquiry about | topic | selected services | selected | chosen | choice | services | wishes | what are you looking for | i am interested in | would like to know about | enquiring about | wanted | subject ticked | what are you interested in | what would you like | areas of interest | service requested | services requested | product requested | products requested | what can we help you with | scope | requested | is interested in | would like | what is it about | i m interested in | i am interested in | we are interested in | interested in the following | package | packages | plan of interest | service of interest | which services | which products | solutions | solution of interest | modules | module of interest | area of interest | type of service | type of project | project type | reason for contact | subject of enquiry | regarding | i would like a quote for | would like a quote for | quote requested for',
  budget:
    'budget | project budget | available budget | what we can spend | spend | budget range | price range | funds | max spend | available funds | maximum spend | money available | budget ceiling | what can you spend | how much can you spend | planned budget | budget cap | budget limit | approved budget | maximum budget | approximate budget | spending limit | what is your budget',
  people:
    'team size | number of employees | employees | number of users | users | company size | headcount | seats | team | staff | size of team | number of people | people | licences | licenses | people who need an extension | workforce | number of staff | workers | colleagues | how many people | how many users | how many of you | user count | staff count | people to equip | number of seats | how many seats | team members | number of team members | number of licences | number of licenses | how big is your team | size of the company | size of company | fte | accesses | how many would use it | how many will use it | number of colleagues',
  start:
    'start | start date | project start | begin | beginning | starting date | go-live | desired start | when | when to start | kick off | kick-off | launch | go live | go-live date | want to start on | want to begin | work to start | starting from | when would you like to start | when do you want to start | planned start | start of project | project begins | when should it start | target start | preferred start | desired start date | planned start date | rollout | kickoff',
  demo: 'demo | demo requested | would you like a demo | demonstration | wants demo | demo wanted | product demo | presentation | live demo | walkthrough | product presentation | would like to see it | see it live | live presentation | would you like to see a demo | do you want a demo | demo please | demonstration wanted | book a demo | demo call | demonstrations | demos',
  job: 'position | job | role | vacancy | job title | position applied for | applying for | applied for | application for | post | vacancy applied for | role applied for | opening | position sought | applying as | job applied for | post applied for | has applied for | position you are applying for | job you are applying for | which position | which job | desired position | position desired | advert | job advert | vacancy title | position title | role title',
  skill:
    'skills | skill | key skills | skills matched | matched skills | matching skills | competencies | abilities | technologies | what i bring | toolbox | tools | expertise | strengths | know-how | tech stack | stack | core skills | technical skills | what i know | certificates | knowledge | what i can do | competences | what are you good at | what can you do | qualifications | competence | proficiencies | software skills | special skills | good at | can do | i can | professional skills | core competencies | programs | programmes | top skills | licences and tickets | licences | tickets | declared skills | skills declared | main skills | skills and tools | areas of expertise | competences declared | software | training',
  language: 'languages | language',
  experience:
    'experience | years of experience | professional experience | total professional experience | work experience | years experience | experience years | years of professional experience | how many years of experience | experience in years | years in the trade | years in the job | years on the job | time in the trade',
  year: 'years | year',
  salary:
    'salary | salary expectation | expected salary | desired salary | salary expectations | compensation | salary requirement | expected hourly wage | wage | pay expectation | expectation | asking | salary sought | desired pay | pay wanted | wage expectation | salary wish | expected pay | expects | asks for | what salary do you expect | salary wanted | pay expected | salary demand | expected gross salary | wage expected | target salary | desired wage | desired wages | minimum salary | money | pay | annual pay | desired annual pay | monthly pay',
  available:
    'available | available from | availability | earliest start date | earliest start | can start | start of work | notice period ends | can begin | free from | start possible | could start | can start on | available as of | available on | able to start | from when could you start | when can you start | earliest date | possible start date | earliest possible start | start possible from | could begin | ready from | starting',
  relocation:
    'relocation | willing to relocate | relocate | willingness to relocate | would relocate | would move | prepared to move | willing to move | moving | would you move | move house | happy to move | would you relocate | open to relocation | ready to relocate | relocation possible | change of residence | will relocate | would you be willing to relocate | are you willing to relocate | able to relocate | can relocate | willing to move house | prepared to relocate',
  birth: 'birth | date of birth | birthday | born',
  serial: 'serial | serial number',
  sender: 'sender',
  first: 'first name | given name | forename',
  last: 'last name | surname | family name',
  website: 'website | web site | homepage | url',
  document: 'receipt | statement | quote | credit note | pro forma',
  staff:
    'assigned to | handled by | technician | recorded by | entered by | captured by | account manager | your contact | our contact | salesperson | sales rep | operator | ticket owner | owner | assignee | processed by | logged by | referrer | referee | referees | recruiter | case manager | agent | advisor | adviser',
  previous: 'previous | last | old | former | last month | last year | prior',
  advertised: 'advertised | offered | on offer',
}

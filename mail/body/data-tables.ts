import { feed } from '../hidden/markup.ts'

/** The largest table that people read row by row: its columns, and the characters in a cell. */
const columnsMax = 30
const cellCharsMax = 300

type OpenTable = {
  readonly number: number
  columns: number
  rows: number
  cells: number
  chars: number
  isData: boolean
}

/**
 * Finds the tables of a document that hold data: at least two rows and two columns, rows of equal length, little text in each
 * cell, and no table inside. Most tables in mail only place things on a page. Returns their numbers, counted from 0 in the order in
 * which tables open. Linear.
 */
export function dataTables(html: string): ReadonlySet<number> {
  const found = new Set<number>()
  const open: OpenTable[] = []
  let count = 0
  feed(html, {
    onopentag(name, { colspan = '1', rowspan = '1' }) {
      const table = open.at(-1)
      if (name === 'table') {
        if (table !== undefined) table.isData = false
        open.push({ number: count++, columns: 0, rows: 0, cells: 0, chars: 0, isData: true })
      } else if (table !== undefined && name === 'tr') table.cells = 0
      else if (table !== undefined && isCell(name)) {
        table.cells++
        table.chars = 0
        if (colspan !== '1' || rowspan !== '1') table.isData = false
      }
    },
    ontext(text) {
      const table = open.at(-1)
      if (table === undefined) return
      table.chars += text.trim().length
      if (table.chars > cellCharsMax) table.isData = false
    },
    onclosetag(name) {
      const table = open.at(-1)
      if (table !== undefined && name === 'tr' && table.cells > 0) {
        if (table.rows > 0 && table.cells !== table.columns) table.isData = false
        table.columns = table.cells
        table.rows++
      }
      if (table === undefined || name !== 'table') return
      open.pop()
      const { number, columns, rows, isData } = table
      if (isData && rows > 1 && columns > 1 && columns <= columnsMax) found.add(number)
    },
  })
  return found
}

export const isCell = (name: string): boolean => name === 'td' || name === 'th'

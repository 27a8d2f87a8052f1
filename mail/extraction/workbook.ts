/** Workbooks (.xls, .xlsx, .xlsb), cells as shown: values in their formats, results of formulas. Nothing is computed, no macro is read. */
import * as xlsx from '@e965/xlsx'
import { limits } from '../limits.ts'
import type { FileText } from './file-type.ts'
import type { Package } from './package.ts'
import { createPage, type Page } from './page.ts'

/** The text of a workbook in a package. Throws when it is broken or encrypted. */
export async function readWorkbookPackage(parts: Package): Promise<FileText> {
  const names = parts.names.filter((name) => !isUnread.test(name))
  const contents = await Promise.all(names.map((name) => parts.read(name)))
  const FileIndex = names.map((name, at) => ({ name, type: 2, content: shortened(contents[at] ?? Buffer.alloc(0)) }))
  return textOf(parsePackage({ FullPaths: names, FileIndex }, options))
}

/** The text of a workbook in the older form, BIFF. Throws when it is broken or encrypted. */
export function readOldWorkbook(content: Buffer): FileText {
  return textOf(xlsx.read(content, { ...options, type: 'buffer' }))
}

/** Cuts a long sheet, or list of texts, after a row or text, and closes it: the library reads all of it, but only the beginning counts. */
function shortened(content: Buffer): Buffer {
  if (content.length <= limits.sheetBytesMax) return content
  const [row, text] = [
    content.lastIndexOf('</row>', limits.sheetBytesMax),
    content.lastIndexOf('</si>', limits.sheetBytesMax),
  ]
  if (row < 0 && text < 0) return content
  const end = row > text ? '</row></sheetData></worksheet>' : '</si></sst>'
  return Buffer.concat([content.subarray(0, Math.max(row, text)), Buffer.from(end)])
}

/** Parts from which no text is read. */
const isUnread =
  /\/$|^docProps\/|\/(?:media|embeddings|drawings|charts|pivotCache|printerSettings|externalLinks|ctrlProps)\/[^/]+$|\/vbaProject\.bin$/i

/** The library's reader for packages that are already open, which its types do not include. */
const parsePackage = (
  xlsx as unknown as { readonly parse_zip: (parts: object, options: xlsx.ParsingOptions) => xlsx.WorkBook }
).parse_zip

const options: xlsx.ParsingOptions = {
  dense: true,
  cellFormula: false,
  cellHTML: false,
  cellNF: true,
  // This includes which rows and columns are hidden.
  cellStyles: true,
  // A row that shows anything takes at least two characters.
  sheetRows: limits.extractedCharsMax / 2,
}

type Cell = xlsx.CellObject

function textOf(book: xlsx.WorkBook): FileText {
  const page = createPage()
  const isHidden = (at: number) => Boolean(book.Workbook?.Sheets?.[at]?.Hidden)
  const isNamed = book.SheetNames.filter((_, at) => !isHidden(at)).length > 1
  for (const [at, name] of book.SheetNames.entries()) {
    const sheet = book.Sheets[name]
    if (sheet === undefined || page.isFull()) continue
    if (isNamed && !isHidden(at)) page.text(`${name}\n`)
    writeSheet(page, sheet, { isHidden: isHidden(at), date1904: book.Workbook?.WBProps?.date1904 ?? false })
  }
  return page.finished()
}

function writeSheet(
  page: Page,
  sheet: xlsx.WorkSheet,
  { isHidden, date1904 }: { isHidden: boolean; date1904: boolean },
): void {
  const rows = (sheet['!data'] ?? []) as readonly (readonly (Cell | undefined)[] | undefined)[]
  const first = xlsx.utils.decode_range(sheet['!ref'] ?? 'A1').s.c
  for (const [at, row] of rows.entries()) {
    if (row === undefined || page.isFull()) continue
    const isRowHidden = isHidden || sheet['!rows']?.[at]?.hidden === true
    let from = first
    for (const column in row) {
      const cell = row[column]
      const text = cell === undefined ? '' : shown(cell, date1904)
      if (text === '' && cell?.t === 'n') page.hide('display_none', `${cell.v} `)
      for (const { t = '' } of cell?.c ?? []) page.hide('comment', `${t} `)
      if (text === '') continue
      if (isRowHidden || sheet['!cols']?.[Number(column)]?.hidden) page.hide('display_none', `${text} `)
      else {
        page.text('\t'.repeat(Math.min(Number(column) - from, gapMax)) + text)
        from = Number(column)
      }
    }
    page.line()
  }
}

/** Most empty cells shown between two others. */
const gapMax = 20

/** What a cell shows, on one line. */
function shown({ v: value, w: written, z: format = '', t: type }: Cell, date1904: boolean): string {
  const text = type === 'n' ? asDate(value, String(format), date1904) : null
  return (text ?? written ?? String(value ?? '')).replace(/\s*\n\s*/g, ' ').trim()
}

/**
 * A date in formats that the library does not write well: with points, which it takes for decimal points, and with day and month
 * separated by slashes, whose order depends on the reader's country and which are ISO 8601 here. Null for other formats.
 */
function asDate(value: unknown, format: string, date1904: boolean): string | null {
  const own = format.replace(slashes, 'yyyy-mm-dd').replace(points, '$1\\.')
  if (own === format || !xlsx.SSF.is_date(own)) return null
  return xlsx.SSF.format(own, value, { date1904 })
}

const slashes = /\b(?:m{1,2}[/-]d{1,2}|d{1,2}\/m{1,2})[/-]y{2,4}\b/i
const points = /([dmy])\.(?!0)/gi

/** PDF files (ISO 32000-2), read with PDF.js. Scripts in them are not run, and pictures are not decoded. */
import { AnnotationMode, getDocument, type PDFDocumentProxy, type PDFPageProxy, VerbosityLevel } from 'unpdf/pdfjs'
import { limits } from '../limits.ts'
import type { FileText, NamedFile } from './file-type.ts'
import { createPage, type Page } from './page.ts'
import { glyphsOf } from './pdf-glyphs.ts'
import { linesOf } from './pdf-lines.ts'

/**
 * The text of a PDF: its pages, with the values of forms, in the order in which people read. Text that is invisible, has the colour of its
 * background, is covered or lies beside the page, and comments are reported as hidden. Pages after the time limit are left out. The
 * text of a scan is empty. Throws when the file is broken or needs a password.
 */
export async function readPdf({ content }: NamedFile): Promise<FileText | null> {
  const loading = getDocument({
    data: new Uint8Array(content),
    verbosity: VerbosityLevel.ERRORS,
    // Glyphs are not drawn.
    disableFontFace: false,
    fontExtraProperties: true,
    // Pictures of more than one pixel are left out.
    maxImageSize: 1,
    isOffscreenCanvasSupported: false,
    useSystemFonts: true,
    enableXfa: false,
  })
  try {
    const document = await loading.promise
    const page = createPage()
    const endMs = performance.now() + limits.pdfMs
    for (let number = 1; number <= Math.min(document.numPages, limits.pdfPagesMax); number++) {
      if (page.isFull() || performance.now() > endMs) break
      await writePage(page, document, await document.getPage(number))
    }
    return page.finished()
  } finally {
    await loading.destroy()
  }
}

async function writePage(page: Page, document: PDFDocumentProxy, source: PDFPageProxy): Promise<void> {
  const { seen, hidden } = glyphsOf({
    operators: await source.getOperatorList({ annotationMode: AnnotationMode.ENABLE }),
    fontOf: (name) => source.commonObjs.get(name) as unknown,
    layers: await document.getOptionalContentConfig(),
    viewport: source.getViewport({ scale: 1 }),
  })
  for (const line of linesOf(seen)) page.text(`${line}\n`)
  page.text('\n')
  for (const { kind, glyphs } of hidden) page.hide(kind, linesOf(glyphs).join(' '))
  for (const { contentsObj, subtype } of await source.getAnnotations()) {
    const said = (contentsObj as { readonly str?: string } | undefined)?.str ?? ''
    if (!isShown.test(subtype as string)) page.hide('comment', `${said} `)
  }
  source.cleanup()
}

/** Annotations whose contents are drawn on the page, or that lead elsewhere. */
const isShown = /^(?:FreeText|Widget|Link)$/

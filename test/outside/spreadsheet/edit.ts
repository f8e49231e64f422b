import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../support/commands.js';

export interface Edit {
  readonly column: number;
  /** 0 is the line of the names. */
  readonly row: number;
  readonly value: string | number;
}

/** Commas, double quotes, UTF-8, from the first line on, in the English of the USA. */
const FORM = '44,34,76,1,,1033';
/** With quoted fields as text, which the documentation tells to tick, and LibreOffice's own choices. */
const [LOAD, STORE] = [`${FORM},true,false`, `${FORM},false,true`];

/** The macro of LibreOffice Basic that opens the file, sets the cells, and saves it as another. */
function macroOf(source: string, target: string, edits: readonly Edit[]): string {
  const cells = edits.map(({ column, row, value }) => {
    const cell = `document.Sheets.getByIndex(0).getCellByPosition(${column}, ${row})`;
    return typeof value === 'number' ? `${cell}.Value = ${value}` : `${cell}.String = "${value}"`;
  });
  return `Sub Edit
    Dim options(2) As New com.sun.star.beans.PropertyValue
    options(0).Name = "FilterName"
    options(0).Value = "Text - txt - csv (StarCalc)"
    options(1).Name = "FilterOptions"
    options(1).Value = "${LOAD}"
    options(2).Name = "Hidden"
    options(2).Value = True
    document = StarDesktop.loadComponentFromURL("file://${source}", "_blank", 0, options)
    ${cells.join('\n    ')}
    options(1).Value = "${STORE}"
    document.storeToURL("file://${target}", options)
    document.close(True)
    StarDesktop.terminate()
  End Sub`;
}

/** Edits cells of a CSV file in LibreOffice, whose profile is there, and returns the path of the file that it saves. */
export async function edited(profile: string, source: string, edits: readonly Edit[]): Promise<string> {
  const target = `${source}.edited`;
  const macro = macroOf(source, target, edits).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const module = `<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Module1"
    script:language="StarBasic">${macro}</script:module>`;
  writeFileSync(
    join(profile, 'user/basic/Standard/Module1.xba'),
    `<?xml version="1.0" encoding="UTF-8"?>${module}`,
  );
  await run('soffice', [
    `-env:UserInstallation=file://${profile}`,
    '--headless',
    'macro:///Standard.Module1.Edit',
  ]);
  return target;
}

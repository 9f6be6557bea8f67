import type { Command, Rows } from '../command.ts';
import { type ExitCode, exitCodes, Failure, usageError } from '../failure.ts';
import { type Io, writeTo } from '../io.ts';
import { createTable, formatCsv, formatFacts, formatTabs, formatValue, withoutControls } from './format.ts';
import { counted } from './progress.ts';
import { type Json, live, type Row, type View } from './view.ts';

/** Form in which results are printed: for a program, as JSON or CSV with some fields, or for people. */
export interface Format {
  readonly kind: 'json' | 'csv' | 'plain';
  /** Selected fields; undefined for all fields of JSON, and the columns of CSV. */
  readonly fields?: readonly string[];
}

/** Number of rows from which the widths of a table follow. Later rows are printed as they arrive. */
const SAMPLE = 100;

/** Reads the value of `--json` or `--csv`. @throws Failure `usage` for a field that the result does not have. */
export const readFields = (selection: string | undefined, view: View): readonly string[] | undefined => {
  if (selection === undefined || selection === '') return undefined;
  const fields = selection.split(',').map((field) => field.trim());
  const unknown = fields.find((field) => !view.fields.includes(field));
  if (unknown !== undefined) {
    throw usageError(`There is no field "${unknown}".`, `The fields are ${view.fields.join(', ')}.`);
  }
  return fields;
};

/** Returns a row with exactly these fields, so that its names are stable whatever the service returns. */
const select = (row: Row, fields: readonly string[]): Row =>
  Object.fromEntries(fields.map((field) => [field, row[field] ?? null]));

const exitCodeOf = (returned: unknown): ExitCode => (typeof returned === 'number' ? returned : exitCodes.done);

/** Prints rows as they arrive. Nothing is printed before the first one. @returns the exit code of the rows. */
const writeRows = async (
  { stdout, stderr, progress }: Io,
  rows: Rows,
  view: View,
  { kind, fields }: Format,
): Promise<ExitCode> => {
  const columns = fields ?? view.columns;
  const waiting: Row[] = [];
  let count = 0;
  let isLive = false;
  let table: ReturnType<typeof createTable> | undefined;
  const startTable = async (): Promise<void> => {
    table = createTable(columns, waiting, stdout.columns || 80);
    await writeTo(stdout, table.header + waiting.map(table.format).join(''));
  };
  const write = async (row: Row): Promise<void> => {
    if (kind === 'json' && isLive) return writeTo(stdout, `${JSON.stringify(select(row, fields ?? view.fields))}\n`);
    if (kind === 'json')
      return writeTo(stdout, `${count === 0 ? '[\n' : ',\n'}${JSON.stringify(select(row, fields ?? view.fields))}`);
    if (kind === 'csv') {
      const line = formatCsv(columns.map((column) => formatValue(row[column])));
      return writeTo(stdout, count === 0 ? formatCsv(columns) + line : line);
    }
    if (stdout.isTTY !== true || isLive) return writeTo(stdout, formatTabs(row, columns));
    if (table !== undefined) return writeTo(stdout, table.format(row));
    waiting.push(row);
    if (waiting.length === SAMPLE) await startTable();
  };
  for (;;) {
    const next = await rows.next();
    if (next.done) {
      if (kind === 'json' && !isLive) await writeTo(stdout, count === 0 ? '[]\n' : '\n]\n');
      if (kind === 'csv' && count === 0) await writeTo(stdout, formatCsv(columns));
      if (table === undefined && waiting.length > 0) await startTable();
      if (kind === 'plain' && stdout.isTTY === true && count === 0) stderr.write('Nothing found.\n');
      return exitCodeOf(next.value);
    }
    if (next.value === live) {
      isLive = true;
      continue;
    }
    await write(next.value);
    count += 1;
    // On a terminal, the rows themselves show it.
    if (stdout.isTTY !== true) progress(`${count.toLocaleString('en')} printed`);
  }
};

const writeItem = async ({ stdout }: Io, row: Row, view: View, { kind, fields }: Format): Promise<void> => {
  const columns = fields ?? view.columns;
  if (kind === 'json') return writeTo(stdout, `${JSON.stringify(select(row, fields ?? view.fields), null, 2)}\n`);
  if (kind === 'csv') {
    return writeTo(stdout, formatCsv(columns) + formatCsv(columns.map((column) => formatValue(row[column]))));
  }
  await writeTo(stdout, stdout.isTTY === true ? formatFacts(row, columns) : formatTabs(row, columns));
};

async function* reported(rows: Rows, report: (row: Row) => Promise<void>): Rows {
  for (;;) {
    const next = await rows.next();
    if (next.done) return next.value;
    await report(next.value);
    yield next.value;
  }
}

/** Formats the value of a field for a script: a text as it is, lists and objects as JSON. */
const formatText = (value: Json): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : formatValue(value);

/** Prints the result of a command. @returns the exit code. */
export const writeResult = async (
  io: Io,
  { result }: Command,
  // biome-ignore lint/suspicious/noExplicitAny: its type follows from the kind of the result.
  returned: any,
  format: Format,
): Promise<ExitCode> => {
  const report = (row: Row): Promise<void> =>
    format.kind === 'plain' ? writeTo(io.stderr, `${withoutControls(result.sentence(row))}\n`) : Promise.resolve();
  switch (result.kind) {
    case 'list':
      return writeRows(io, returned, result.view, format);
    case 'item':
      await writeItem(io, await returned, result.view, format);
      return exitCodes.done;
    case 'change': {
      const row = await returned;
      await report(row);
      if (format.kind !== 'plain') await writeItem(io, row, result.view, format);
      return exitCodes.done;
    }
    case 'changes': {
      const rows = reported(returned, report);
      if (format.kind !== 'plain') return writeRows(io, rows, result.view, format);
      for (;;) {
        const next = await rows.next();
        if (next.done) return exitCodeOf(next.value);
      }
    }
    case 'text': {
      const row = await returned;
      if (format.kind !== 'plain') await writeItem(io, row, result.view, format);
      else await writeTo(io.stdout, `${formatText(row[result.field])}\n`);
      return exitCodes.done;
    }
    case 'bytes':
      for await (const part of io.stdout.isTTY === true ? returned : counted(io, returned))
        await writeTo(io.stdout, part);
      return exitCodes.done;
    case 'program':
      return returned;
    default:
      throw new Failure('failed', `Unknown kind of result ${result.kind}.`);
  }
};

import { expect, it } from 'vitest';
import { toCsv } from '../../../functions/console/app/lib/csv.ts';

it('writes one column for each name, in the order in which the names first appear', () => {
  expect(
    toCsv([
      { id: 'ws-1', name: 'network' },
      { id: 'ws-2', locked: true, name: 'billing' },
    ]),
  ).toBe('id,name,locked\r\nws-1,network,\r\nws-2,billing,true\r\n');
});

it('writes the headings of a list without rows', () => {
  expect(toCsv([], ['Name', 'ID'])).toBe('Name,ID\r\n');
});

it('quotes separators, quotation marks and line breaks, and writes what is no text as JSON', () => {
  expect(toCsv([{ a: 'x,y', b: 'say "no"', c: 'two\nlines', d: null, e: ['core', 'team'], f: -1 }])).toBe(
    'a,b,c,d,e,f\r\n"x,y","say ""no""","two\nlines",,"[""core"",""team""]",-1\r\n',
  );
});

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('never gives the formula %j to a spreadsheet', (text) => {
  expect(toCsv([{ text }]).split('\r\n')[1]?.replace(/^"/, '').startsWith("'")).toBe(true);
});

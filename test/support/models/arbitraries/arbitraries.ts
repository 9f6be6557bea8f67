import * as fc from 'fast-check';
import { queryParameters } from '../../../../shared/openapi/compiled/query-parameters.js';
import type { AttributeTableWithSettings } from '../../../../shared/resources/attribute-table.ts';
import { attributes as attributeTable } from '../../../../shared/resources/workspaces/attributes.ts';

/** Generators of invalid and unusual input. */

/** Texts that have broken something somewhere. */
const nastyTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\n',
  '\r\n',
  '\ufeff',
  '\ud800',
  'a\udfffb',
  '\u202Eabc',
  '\u0130',
  'ñandú',
  'naïve café',
  '💥',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'true',
  '0',
  '-1',
  '1e400',
  'NaN',
  '.',
  '..',
  '../../etc/passwd',
  '%2F',
  '%',
  '%00',
  '#',
  '?x=1',
  'a/b',
  'a\\b',
  "' OR 1=1 --",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what an attacker writes.
  '${7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '(a+)+$',
  '[',
  '**/{a,b',
  'WS#',
  'ws-',
  'ws-1111111111111111',
  'prj-1111111111111111',
  'apool-1111111111111111',
  'x'.repeat(91),
  'x'.repeat(1_001),
  'x'.repeat(70_000),
];

const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...nastyTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 120 }) },
);

/** As text, because building it as a value and writing it would take a stack of its own. */
const nested = (open: string, close: string, depth: number): string => `${open.repeat(depth)}${close.repeat(depth)}`;
const DEPTHS = [100, 10_000, 100_000] as const;

/**
 * Keys that are something special to JavaScript; built by the parser, which is the only one that makes them own keys.
 */
const treacherous: fc.Arbitrary<unknown> = fc
  .constantFrom(
    '{"__proto__":{"admin":true}}',
    '{"constructor":{"prototype":{"admin":true}}}',
    '{"toString":null,"valueOf":1,"hasOwnProperty":false}',
    '{"length":4294967296}',
    '{"then":"x"}',
    '{"toJSON":"x"}',
    '[null]',
    '[[]]',
    '{"":""}',
    '-0',
    '1e308',
    '123456789012345678901234567890',
    '5e-324',
  )
  .map((json) => JSON.parse(json));

/** Any JSON value, of every type. */
export const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: text },
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.array(fc.oneof(text, fc.constant(null), fc.integer()), { maxLength: 4 }),
  fc.constant(Array.from({ length: 101 }, () => 'a')),
  fc.dictionary(text, fc.oneof(text, fc.boolean(), fc.constant(null)), { maxKeys: 4 }),
  treacherous,
  fc.jsonValue({ maxDepth: 4 }),
);

const shortText = text.map((it) => it.slice(0, 255));
const flag = fc.boolean();
const list = fc.array(shortText, { maxLength: 4 });
const time = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom('9999-12-31T23:59:59Z', '2099-01-01T00:00:00+23:59', '2099-12-31T23:59:60Z', '0000-01-01T00:00:00Z'),
);
const duration = fc.tuple(fc.nat({ max: 12_000 }), fc.constantFrom('d', 'h', 'w', '')).map((pair) => pair.join(''));
const number = fc.nat({ max: 20 });
const version = fc
  .array(
    fc
      .tuple(fc.constantFrom('', '=', '!=', '>', '>=', '<', '<=', '~>', '^'), fc.array(number, { maxLength: 4 }))
      .map(([operator, numbers]) => `${operator} ${numbers.join('.')}`),
    { minLength: 1, maxLength: 3 },
  )
  .map((clauses) => clauses.join(','));
const id = fc.constantFrom('', null, 'apool-1111111111111111', 'ot-1111111111111111', 'ghain-1111111111111111', 'x');

/** Values of the right type, right or not: those that come as far as the rules. */
const repository: fc.Arbitrary<unknown> = fc.record(
  {
    branch: shortText,
    identifier: fc.oneof(shortText, fc.constant('a/b')),
    'ingress-submodules': flag,
    'oauth-token-id': id,
    'app-installation-id': id,
    'github-app-installation-id': id,
    'tags-regex': fc.oneof(shortText, fc.stringMatching(/^[a-z()[\]{}*+?|^$\\.,0-9]{0,40}$/)),
  },
  { requiredKeys: [] },
);
/** Finds the schema of an attribute in requests (WS-21), also by another name of it (WS-8). Others are in responses only. */
const requestSchemaOf = (name: string): { readonly type?: string | readonly string[] } | undefined => {
  const one = (attributeTable as AttributeTableWithSettings)[name];
  if (one === undefined) return undefined;
  if ('synonymOf' in one) return requestSchemaOf(one.synonymOf);
  return 'setting' in one ? one.schema : one.request;
};
const attributeNames = Object.keys(attributeTable).filter((name) => requestSchemaOf(name) !== undefined);
const flags = attributeNames.filter((name) => [requestSchemaOf(name)?.type].flat().includes('boolean'));
const typed: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...Object.fromEntries(flags.map((name) => [name, flag])),
  name: fc.oneof(shortText, fc.stringMatching(/^[\w-]{1,95}$/)),
  'agent-pool-id': id,
  'auto-destroy-at': time,
  'auto-destroy-activity-duration': duration,
  description: shortText,
  'execution-mode': fc.constantFrom('remote', 'local', 'agent', 'cloud'),
  'source-name': shortText,
  'source-url': fc.oneof(shortText, fc.webUrl()),
  'imported-from': fc.record(
    { host: shortText, id: shortText, organization: shortText, 'created-at': fc.oneof(time, fc.constant(null)) },
    { requiredKeys: ['host', 'id'] },
  ),
  'infra-version': fc.oneof(version, fc.constantFrom('latest', '1.5.7')),
  'terraform-version': fc.oneof(version, fc.constantFrom('latest', '1.5.7')),
  'trigger-patterns': fc.oneof(list, fc.array(fc.stringMatching(/^[a-z/*?{}()!+@|[\]\\.,-]{1,40}$/), { maxLength: 3 })),
  'trigger-prefixes': list,
  'working-directory': shortText,
  'setting-overwrites': fc.record(
    { 'execution-mode': flag, 'agent-pool': flag, 'deletion-protection': flag },
    { requiredKeys: [] },
  ),
  'vcs-repo': fc.oneof(repository, fc.constant(null)),
};

/** Attributes with their values. @throws Error if an attribute of the table has no values. */
const attributeValues = attributeNames.map((name) => {
  const right = typed[name];
  if (right === undefined) throw new Error(`There are no values of the attribute ${name}`);
  return { name, right };
});

const entry = fc
  .constantFrom(...attributeValues)
  .chain(({ name, right }) =>
    fc
      .oneof({ weight: 4, arbitrary: right }, { weight: 1, arbitrary: value })
      .map((given) => [name, given] as [string, unknown]),
  );

const attributes: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.array(entry, { minLength: 1, maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  },
  fc.dictionary(fc.constantFrom('branch', 'identifier', 'oauth-token-id', 'tags-regex'), value).map((repo) => ({
    'vcs-repo': repo,
  })),
  fc.dictionary(fc.constantFrom('execution-mode', 'agent-pool', 'deletion-protection'), value).map((overwrites) => ({
    'setting-overwrites': overwrites,
  })),
  value,
);

/** Documents that are right but for one thing, or a few. */
export const nearlyRight: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 12, arbitrary: attributes.map((given) => ({ data: { type: 'workspaces', attributes: given } })) },
  fc.record({ type: value, id: value, attributes: value }, { requiredKeys: [] }).map((data) => ({ data })),
  fc
    .record({ project: fc.oneof(value, fc.record({ data: fc.oneof(value, fc.record({ type: value, id: value })) })) })
    .map((relationships) => ({ data: { type: 'workspaces', relationships } })),
  value.map((relationships) => ({ data: { type: 'workspaces', relationships } })),
  value.map((data) => ({ data })),
  fc.record({ reason: value }),
  fc.record({ data: fc.record({ type: value, attributes: fc.oneof(value, fc.record({ reason: value })) }) }),
  value,
);

const document = '{"data":{"type":"workspaces","attributes":{"description":"d"}}}';
const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

/** Bodies that no serializer would write: as bytes. */
export const rawBodies: readonly (readonly [name: string, body: Buffer])[] = [
  ['blanks only', bytes('  \n ')],
  ['a byte order mark alone', bytes([0xef, 0xbb, 0xbf])],
  ['a byte order mark before a document', bytes([0xef, 0xbb, 0xbf], document)],
  ['UTF-16', Buffer.from(document, 'utf16le')],
  ['a byte that is no UTF-8', bytes('{"data":{"type":"workspaces","attributes":{"description":"', [0xff], '"}}}')],
  ['an overlong encoding', bytes('{"data":{"type":"', [0xc0, 0xaf], '"}}')],
  ['a surrogate in UTF-8', bytes('{"data":{"type":"', [0xed, 0xa0, 0x80], '"}}')],
  ['a text that ends within a character', bytes('{"data":"', [0xe2, 0x82])],
  ['a NUL byte', bytes('{"data":', [0], '}')],
  ['half an escaped surrogate pair', bytes('{"data":{"type":"workspaces","attributes":{"description":"\\ud800"}}}')],
  ['half an escaped pair as a key', bytes('{"data":{"type":"workspaces","attributes":{"\\udc00":1}}}')],
  ['an escaped NUL', bytes('{"data":{"type":"workspaces","attributes":{"name":"a\\u0000b"}}}')],
  ['a document cut short', bytes(document.slice(0, -2))],
  ['two documents', bytes(document, document)],
  ['a trailing comma', bytes('{"data":{"type":"workspaces",}}')],
  ['a comment', bytes('{/* */"data":{"type":"workspaces"}}')],
  ['single quotes', bytes("{'data':{'type':'workspaces'}}")],
  ['NaN', bytes('{"data":NaN}')],
  ['a number beyond all numbers', bytes('{"data":{"type":"workspaces","attributes":{"name":1e999}}}')],
  ['a form', bytes('data[type]=workspaces&data[attributes][name]=a')],
  ['XML', bytes('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>')],
  ['null', bytes('null')],
  ['a text', bytes('"data"')],
  ['an empty object', bytes('{}')],
  ['an empty array', bytes('[]')],
  [
    'keys that come twice',
    bytes('{"data":{"type":"runs","type":"workspaces","attributes":{"name":"a/b","name":"a b"},"attributes":null}}'),
  ],
  ['a prototype as a key', bytes('{"__proto__":{"data":{"type":"workspaces"}},"constructor":null}')],
  [
    'a prototype among the attributes',
    bytes('{"data":{"type":"workspaces","attributes":{"__proto__":{"name":"polluted"},"name":null}}}'),
  ],
  ...DEPTHS.flatMap((depth): [string, Buffer][] => [
    [`${depth} arrays in each other`, bytes(nested('[', ']', depth))],
    [`${depth} objects in each other`, bytes(`${'{"data":'.repeat(depth)}1${'}'.repeat(depth)}`)],
    [
      `${depth} arrays in an attribute`,
      bytes(`{"data":{"type":"workspaces","attributes":{"name":${nested('[', ']', depth)}}}}`),
    ],
    [
      `${depth} objects around an escaped pair, in an attribute that is not known`,
      bytes(`{"data":{"type":"runs","attributes":{"x":${'{"a":'.repeat(depth)}"\\ud83d\\udca5"${'}'.repeat(depth)}}}}`),
    ],
    [`${depth} arrays that never end`, bytes('['.repeat(depth))],
  ]),
];

/** Any bytes at all. */
export const garbage: fc.Arbitrary<Buffer> = fc.oneof(
  fc.constantFrom(...rawBodies.map(([, body]) => body)),
  fc.uint8Array({ minLength: 1, maxLength: 200 }).map((array) => Buffer.from(array)),
  text.filter((it) => it !== '').map((it) => Buffer.from(it)),
  // A right document with one byte changed.
  fc.tuple(fc.nat({ max: document.length - 1 }), fc.nat({ max: 255 })).map(([at, byte]) => {
    const changed = Buffer.from(document);
    changed[at] = byte;
    return changed;
  }),
);

export const contentType: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('application/vnd.api+json', 'application/json', 'application/json; charset=utf-8'),
  fc.constantFrom(
    '',
    'text/plain',
    'application/xml',
    'multipart/form-data',
    'application/json; charset=utf-16',
    '*/*',
  ),
  fc.string({ maxLength: 40 }),
);

/** One segment of a path, percent-encoded as a client would; no broken encoding, which the gateway rejects. */
export const pathSegment: fc.Arbitrary<string> = fc
  .oneof(
    text,
    fc.constantFrom(
      'ws-',
      'WS-1111111111111111',
      'ws-111111111111111O',
      'ws-11111111111111111',
      'run-1111111111111111',
    ),
    fc.stringMatching(/^(ws|prj|team|user|apool)-[1-9A-HJ-NP-Za-km-z]{15,17}$/),
  )
  .map((it) => encodeURIComponent(it.toWellFormed().slice(0, 9_000)))
  .filter((it) => it !== '');

export const queryString: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.tuple(
        fc.constantFrom('page[number]', 'page%5Bsize%5D', 'page[size]', 'sort', 'include', 'page', 'page[]', 'page[x]'),
        fc.oneof(text, fc.integer().map(String)).map((it) => encodeURIComponent(it.toWellFormed())),
      ),
      fc.tuple(
        fc.constantFrom(
          ...(queryParameters['workspaces.list'] ?? []).filter((name) => name !== 'sort'),
          'search%5Bwildcard-name%5D',
          'filter[tagged][][key]',
          'filter[tagged]',
        ),
        text.map((it) => encodeURIComponent(it.toWellFormed())),
      ),
      fc
        .tuple(text, text)
        .map(([key, of]): [string, string] => [
          encodeURIComponent(key.toWellFormed()),
          encodeURIComponent(of.toWellFormed()),
        ]),
      // As it comes: broken percent-encoding, signs that mean something.
      fc.constantFrom<[string, string]>(
        ['%', '%zz'],
        ['page%5', '1'],
        ['&&', '='],
        ['a[b][c]', '+%2B'],
        ['%ff', '%c0%af'],
      ),
    ),
    { maxLength: 4 },
  )
  .map((pairs) =>
    pairs
      .map(([key, of]) => `${key}=${of}`)
      .join('&')
      .replaceAll('?', '%3F'),
  );

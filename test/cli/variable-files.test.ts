// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the files in question.
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { formatEnvLine } from '../../infra/cli/variable-files/env-file.ts';
import { readVariableFile } from '../../infra/cli/variable-files/read-variable-file.ts';
import { formatHclText, formatTfvarsLine } from '../../infra/cli/variable-files/tfvars.ts';

const read = (name: string, text: string) =>
  Object.fromEntries(readVariableFile(name, text).map(({ key, value, hcl }) => [key, hcl ? { hcl: value } : value]));

const texts = ['', 'a b', "it's", 'say "hi" \\n', 'two\nlines\n', '$HOME ${x} %{y} `z`', 'ä €\t', '\'"$`\\\n'];

describe('a .tfvars file', () => {
  test('has texts as plain values and everything else as an expression as it is written', () => {
    const text = [
      '\ufeff# comment',
      'region = "eu-central-1" // here',
      'size=-3.5e1',
      '/* two',
      '   lines */ enabled = true',
      'none = null',
      'zones = [ # first',
      '  "a", { x = 1, "y z" : [] },',
      ']',
      'tags = {',
      '  team = "core"',
      '  note = "$${literal} %%{if}"',
      '}',
      'escaped = "a\\"b\\\\c\\u00e9\\n$${x} $5 100%"',
      'text = <<EOT',
      '  kept $${x} \\n',
      'EOT',
      'indented = <<-EOT',
      '    one',
      '      two',
      '  EOT',
      '',
    ].join('\r\n');
    expect(read('x.tfvars', text)).toEqual({
      region: 'eu-central-1',
      size: { hcl: '-3.5e1' },
      enabled: { hcl: 'true' },
      none: { hcl: 'null' },
      zones: { hcl: '[ # first\n  "a", { x = 1, "y z" : [] },\n]' },
      tags: { hcl: '{\n  team = "core"\n  note = "$${literal} %%{if}"\n}' },
      escaped: 'a"b\\cé\n${x} $5 100%',
      text: '  kept ${x} \\n\n',
      indented: 'one\n  two\n',
    });
  });

  test.each([
    ['a = var.b', 1],
    ['a = 1 + 2', 1],
    ['a = "${b}"', 1],
    ['a = 1\nb = max(1, 2)', 2],
    ['a = [for x in []: x]', 1],
    ['a = "x" b = 1', 1],
    ['a = "x\n"', 1],
    ['\n\na = [1 2]', 3],
    ['a = { b }', 1],
    ['a {\n}', 1],
    ['a = <<EOT\nx', 2],
    ['"a" = 1', 1],
    ['a = "\\q"', 1],
    ['a =', 1],
    ['/* no end', 1],
  ])('with anything but literal values is rejected with the line: %j', (text, line) => {
    expect(() => read('x.tfvars', text)).toThrow(`x.tfvars, line ${line}:`);
  });

  test.each(texts)('has a written text as its value again: %j', (value) => {
    expect(read('x.tfvars', `a = ${formatHclText(value)}`)).toEqual({ a: value });
  });

  test('cannot be written with an expression that would add other variables', () => {
    expect(formatTfvarsLine('zones', '["a"]', true)).toBe('zones = ["a"]');
    expect(formatTfvarsLine('zones', '1\nother = 2', true)).toBeUndefined();
    expect(formatTfvarsLine('zones', 'var.x', true)).toBeUndefined();
    expect(formatTfvarsLine('not a key', 'x', false)).toBeUndefined();
  });
});

test('a .tfvars.json file keeps all digits of a number and escapes texts within expressions', () => {
  const text = '{"a": "plain ${x}", "b": 12345678901234567890, "c": [1.50, "${x}", {"k": null}], "d": {}}';
  expect(read('x.tfvars.json', text)).toEqual({
    a: 'plain ${x}',
    b: { hcl: '12345678901234567890' },
    c: { hcl: '[1.50, "$${x}", { "k" = null }]' },
    d: { hcl: '{}' },
  });
});

describe('a .env file', () => {
  test('has plain, quoted and exported values', () => {
    const text = [
      '# comment',
      'A=1',
      'export B = two words # comment',
      "C='it $is\nliteral'",
      'D="a\\nb \\"c\\" \\$d"',
      'E=',
      'F=a#b',
    ].join('\n');
    expect(read('.env', text)).toEqual({
      A: '1',
      B: 'two words',
      C: 'it $is\nliteral',
      D: 'a\nb "c" $d',
      E: '',
      F: 'a#b',
    });
  });

  test.each(['A', 'A-B=1', 'A=$HOME', 'A="${B}"', 'A="`id`"', 'A="x', "A='x", 'A="x" y', 'A=x"y"', 'A="\\d"', '=1'])(
    'with a line that programs read in different ways is rejected: %j',
    (line) => {
      expect(() => read('.env', `X=1\n${line}`)).toThrow('.env, line 2:');
    },
  );

  test.each(texts)('has a written text as its value again: %j', (value) => {
    expect(read('.env', formatEnvLine('A', value))).toEqual({ A: value });
  });

  test('is read in the same way by other programs, if it has no text with both kinds of quotes', () => {
    for (const value of texts.slice(0, -1)) expect(parseEnv(formatEnvLine('A', value))).toEqual({ A: value });
  });
});

test('a .json file has variables with the names of the API', () => {
  const text = JSON.stringify([{ key: 'A', category: 'env', value: 'x', description: null }]);
  expect(readVariableFile('x.json', text)).toEqual([{ key: 'A', category: 'env', value: 'x', hcl: false }]);
});

test.each([
  ['x.json', '{"A": "x"}', 'not a JSON array'],
  ['x.json', '[{"key": "A"}]', 'needs either value or value-reference'],
  ['x.json', '[{"key": "A", "value": 1}]', 'value is not a string'],
  ['x.json', '[{"key": "A", "value": "x", "kind": "y"}]', '"kind" is none of'],
  ['x.json', '[{"key": "A", "value": "x", "category": "y"}]', 'category'],
  ['x.tfvars.json', '["secret"]', 'not a JSON object'],
  ['x.tfvars', 'a = 1\na = 2', 'sets a twice'],
  ['x.yaml', 'a: 1', 'tells no format'],
])('a file that is not understood is rejected: %s %s', (name, text, message) => {
  expect(() => readVariableFile(name, text)).toThrow(message);
});

test('an error about damaged JSON does not contain a part of it', () => {
  for (const name of ['x.json', 'x.tfvars.json'])
    expect(() => readVariableFile(name, '{"a": secret}')).toThrow(/^(?!.*secret)/);
});

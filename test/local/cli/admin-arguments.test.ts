import { describe, expect, it } from 'vitest';
import { parseAdminArguments } from '../../../infra/local/cli/admin-arguments.ts';

describe('the words after npm run admin --', () => {
  it.each([
    ['no words ask for help', [], { command: 'help' }],
    ['names become camel case', ['a', '--agent-pool-id', '7'], { command: 'a', agentPoolId: '7' }],
    ['an option without a value is a flag', ['a', '--force', '--x', 'y'], { command: 'a', force: true, x: 'y' }],
    ['an equals sign joins too', ['a', '--name=x=y'], { command: 'a', name: 'x=y' }],
    [
      'dots nest',
      ['a', '--settings.default-mode', 'agent', '--settings.plan', 'p'],
      { command: 'a', settings: { defaultMode: 'agent', plan: 'p' } },
    ],
    [
      'a private key is a value, though it begins with dashes',
      ['a', '--value', '-----BEGIN PRIVATE KEY-----\nx'],
      { command: 'a', value: '-----BEGIN PRIVATE KEY-----\nx' },
    ],
    ['JSON values are read', ['a', '--tags', '["x"]'], { command: 'a', tags: ['x'] }],
    ['one JSON argument is the whole command', ['{"command":"a","n":1}'], { command: 'a', n: 1 }],
  ])('%s', (_, words, command) => {
    expect(parseAdminArguments(words)).toEqual(command);
  });

  it.each([
    [['--name', 'x'], /first word must be the name of a command/],
    [['a', 'stray'], /Word 2 is not an option/],
    [['a', '--tags', '[x'], /value of --tags is not valid JSON/],
    [['a', '--x', '1', '--x.y', '2'], /both as a value and with nested keys/],
  ])('refuses %j', (words, line) => {
    expect(() => parseAdminArguments(words)).toThrow(line);
  });
});

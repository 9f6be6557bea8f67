import { describe, expect, it } from 'vitest';
import { parseAdminArguments, splitTarget } from '../../../infra/local/cli/admin-arguments.ts';

describe('parseAdminArguments', () => {
  it.each([
    ['returns the command help without words', [], { command: 'help' }],
    ['returns the help of one command after the word help', ['help', 'a'], { command: 'help', of: 'a' }],
    ['returns the help of a command with the option --help', ['a', '--help'], { command: 'help', of: 'a' }],
    ['converts names to camel case', ['a', '--agent-pool-id', '7'], { command: 'a', agentPoolId: '7' }],
    ['reads an option without a value as a flag', ['a', '--force', '--x', 'y'], { command: 'a', force: true, x: 'y' }],
    ['splits name and value at the first equals sign', ['a', '--name=x=y'], { command: 'a', name: 'x=y' }],
    [
      'creates nested objects from dots',
      ['a', '--settings.default-mode', 'agent', '--settings.plan', 'p'],
      { command: 'a', settings: { defaultMode: 'agent', plan: 'p' } },
    ],
    [
      'reads a private key as a value although it begins with dashes',
      ['a', '--value', '-----BEGIN PRIVATE KEY-----\nx'],
      { command: 'a', value: '-----BEGIN PRIVATE KEY-----\nx' },
    ],
    ['parses JSON values', ['a', '--tags', '["x"]'], { command: 'a', tags: ['x'] }],
    ['reads one JSON argument as the whole command', ['{"command":"a","n":1}'], { command: 'a', n: 1 }],
  ])('%s', (_, words, command) => {
    expect(parseAdminArguments(words)).toEqual(command);
  });

  it.each([
    [['a', 'stray'], /Word 2 is not an option/],
    [['a', '--tags', '[x'], /value of --tags is not valid JSON/],
    [['a', '--x', '1', '--x.y', '2'], /both as a value and with nested keys/],
  ])('rejects %j', (words, line) => {
    expect(() => parseAdminArguments(words)).toThrow(line);
  });
});

describe('splitTarget', () => {
  it.each([
    ['selects the local service without options', ['a', '--name', 'x'], { words: ['a', '--name', 'x'] }],
    [
      'reads the options before the command only',
      ['--profile', 'prod', '--region=eu-west-1', '--name', 'second', 'a', '--name', 'x'],
      { target: { profile: 'prod', region: 'eu-west-1', name: 'second' }, words: ['a', '--name', 'x'] },
    ],
    [
      'does not take the option --help for a target',
      ['--name=x', '--help'],
      { target: { name: 'x' }, words: ['--help'] },
    ],
    ['returns no words if no command follows', ['--profile', 'prod'], { target: { profile: 'prod' }, words: [] }],
  ])('%s', (_, words, expected) => {
    expect(splitTarget(words)).toEqual(expected);
  });

  it.each([[['--force', 'a']], [['--profile']], [['--name=', 'a']], [['-p', 'a']]])('rejects %j', (words) => {
    expect(() => splitTarget(words)).toThrow(
      'Before the name of a command, --profile <profile>, --region <region>, --name <name> are possible',
    );
  });
});

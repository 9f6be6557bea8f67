import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attributes } from '../../../shared/resources/workspaces/attributes.ts';
import { routeIds, routes } from '../../../shared/routes/index.ts';
import { functionNames } from '../../../shared/runtime/environment.ts';
import { commands } from '../../../shared/schemas/admin-commands.ts';
import { automationCommands } from '../../../shared/schemas/automation-commands.ts';
import { commandName } from '../../../shared/schemas/command-name.ts';
import { type Key, keys, recordKinds } from '../../../shared/store/dynamodb/keys.ts';
import { staleOutputs } from '../../support/docs/generate.ts';
import { missingStatements, pagesWithLimits, unknownStatements } from '../../support/docs/limits-in-prose.ts';
import {
  anchorsIn,
  brokenLinks,
  markdownPages,
  missingPaths,
  missingScripts,
  reachablePages,
} from '../../support/docs/links.ts';
import { pageUrl, readPage } from '../../support/docs/pages.ts';

const pages = markdownPages();

describe('the documentation', () => {
  it('has a README of at most 150 lines', () => {
    expect(readPage('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  it('matches the code in every generated table and schema (npm run generate)', () => {
    expect(staleOutputs()).toEqual([]);
  });

  it.each(pages)('has only links, paths and npm scripts that exist in %s', (page) => {
    const text = readPage(page);
    expect(brokenLinks(page, text)).toEqual([]);
    expect(missingPaths(text)).toEqual([]);
    expect(missingScripts(text)).toEqual([]);
  });

  it.each(pagesWithLimits)('states the limits in the prose of %s as they are', (page) => {
    expect(missingStatements(page, readPage(page))).toEqual([]);
  });

  it.each(pages.filter((page) => page.startsWith('docs/reference/')))(
    'has no number of a limit in the prose of %s that is not compared with the limit',
    (page) => {
      expect(unknownStatements(page, readPage(page))).toEqual([]);
    },
  );

  it('links every page of docs/ from README.md or docs/README.md, directly or through other pages', () => {
    const reached = reachablePages(['README.md', 'docs/README.md']);
    expect(pages.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([]);
  });

  it('starts every page of docs/ with a title and a sentence', () => {
    const isWellFormed = (page: string): boolean => /^# .+\n\n[^#|<\s-]/.test(readPage(page));
    const described = pages.filter((page) => page.startsWith('docs/') && !/^docs\/decisions\/\d/.test(page));
    expect(described.filter((page) => !isWellFormed(page))).toEqual([]);
  });

  it('names every function without a route in docs/architecture.md', () => {
    const served = new Set<string>(routeIds.map((id) => routes[id].function));
    const unnamed = functionNames.filter(
      (name) => !served.has(name) && !readPage('docs/architecture.md').includes(`\`${name}\``),
    );
    expect(unnamed).toEqual([]);
  });

  it('names every folder of shared in docs/develop/layout.md', () => {
    const folders = readdirSync(pageUrl('shared'));
    const page = readPage('docs/develop/layout.md');
    expect(folders.filter((folder) => !page.includes(`\`shared/${folder}\``))).toEqual([]);
  });

  it('names every middleware in docs/develop/request-path.md', () => {
    const steps = readdirSync(pageUrl('shared/http/middleware')).map((file) => basename(file, '.ts'));
    const page = readPage('docs/develop/request-path.md');
    expect(steps.filter((step) => !page.includes(`\`${step}\``))).toEqual([]);
  });

  it('names every proof and every folder of test in docs/develop/tests.md', () => {
    const page = readPage('docs/develop/tests.md');
    const proofs = [...readPage('test/proofs/prove.ts').matchAll(/^ {2}'?([a-z-]+)'?: prove\w+,$/gm)].map(
      ([, name]) => name,
    );
    expect(proofs).toContain('locks');
    const names = [...proofs, ...readdirSync(pageUrl('test')).map((folder) => `test/${folder}`)];
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('states the default of every setting of a workspace in WS-21', () => {
    const [, rule = ''] = readPage('docs/reference/workspaces.md').split('**WS-21**');
    const rows = [...rule.matchAll(/^\| (`.+`) \| `(.+)` \|$/gm)];
    const isStated = (name: string, value: unknown): boolean =>
      rows.some(([, names, fallback]) => names?.includes(`\`${name}\``) && fallback === JSON.stringify(value));
    const missing = Object.entries(attributes).filter(
      ([name, one]) => 'setting' in one && !isStated(name, one.default),
    );
    expect(missing.map(([name]) => name)).toEqual([]);
  });

  it('names only admin commands that exist, and every automation command', () => {
    const named = pages.flatMap((page) =>
      [
        ...readPage(page).matchAll(/admin -- (?:--[a-z]+ [\w-]+ )*([a-z][a-z-]+)|--payload '\{"command":"([a-z-]+)"/g),
      ].map(([, a, b]) => a ?? b),
    );
    // The command of `npm run admin` that is not for the function.
    const known = [...Object.keys(commands).map(commandName), 'local-token'];
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => name !== undefined && !known.includes(name))).toEqual([]);
    const missing = Object.keys(automationCommands)
      .map(commandName)
      .filter((name) => !readPage('docs/concepts/automation.md').includes(`\`${name}\``));
    expect(missing).toEqual([]);
  });

  it('has a route for every action in the state diagram of locks', () => {
    const paths = routeIds.map((id) => routes[id].path);
    for (const action of ['lock', 'unlock', 'force-unlock', 'safe-delete']) {
      expect(readPage('docs/concepts/locks.md')).toContain(action);
      expect(paths.some((path) => path.endsWith(`/actions/${action}`))).toBe(true);
    }
  });
});

describe('the key table in docs/architecture.md', () => {
  const samples: Readonly<Record<keyof typeof keys, Key>> = {
    organization: keys.organization('acme'),
    claim: keys.claim('acme', 'workspace', 'network'),
    workspace: keys.workspace('1'),
    workspaceText: keys.workspaceText('1'),
    variable: keys.variable('1', 'env', 'KEY'),
    variableSet: keys.variableSet('varset-2jPTvTDXBPFzPGbT'),
    assignedVariableSet: keys.assignedVariableSet('ws-2jPTvTDXBPFzPGbT', 'varset-2jPTvTDXBPFzPGbT'),
    ownedVariableSet: keys.ownedVariableSet('prj-2jPTvTDXBPFzPGbT', 'varset-2jPTvTDXBPFzPGbT'),
    globalVariables: keys.globalVariables('acme'),
    run: keys.run('1', 2, '3'),
    runWindow: keys.runWindow('1'),
    configurationVersion: keys.configurationVersion('1', '2'),
    readme: keys.readme('1'),
    stateVersion: keys.stateVersion('1', 2, '3'),
    stateOutputs: keys.stateOutputs('1', '2', 3),
    stateDependants: keys.stateDependants('1', 2, '3'),
    stateVersionId: keys.stateVersionId('sv-2jPTvTDXBPFzPGbT'),
    consumers: keys.consumers('1', '2', 3),
    project: keys.project('1'),
    team: keys.team('1'),
    user: keys.user('1'),
    username: keys.username('ada'),
    membership: keys.membership('1', 'acme', '2'),
    member: keys.member('1', '2'),
    organizationMembership: keys.organizationMembership('1', 'acme'),
    organizationMember: keys.organizationMember('acme', '1'),
    email: keys.email('ada@example.com', '1'),
    token: keys.token('1'),
    tokenOf: keys.tokenOf({ kind: 'team', id: '1' }, '2'),
    tokenUse: keys.tokenUse('1'),
    tokenDay: keys.tokenDay('1', '2'),
    rejections: keys.rejections('1', 2),
    oneTimeSecret: keys.oneTimeSecret('1', '2'),
    deviceLogin: keys.deviceLogin('1'),
    deviceTries: keys.deviceTries('1'),
    pointer: keys.pointer('1'),
    workspaceAccessId: keys.workspaceAccessId('1', '2'),
    projectAccessId: keys.projectAccessId('1', '2'),
    verifications: keys.verifications('1', 'user#2'),
    historyEntry: keys.historyEntry('1', 2, 3),
    historyValue: keys.historyValue('1', '2'),
    historySecret: keys.historySecret('1'),
    historyText: keys.historyText('1', 2),
    historyConsumers: keys.historyConsumers('1', '2', 3, 4),
    activityMonth: keys.activityMonth('acme', '2026-11'),
    activityMark: keys.activityMark('acme', '2026-11-28', 3),
    auditPointer: keys.auditPointer('acme', 2, '3'),
    record: keys.record('sshKey', '1'),
    command: keys.command('1', '2'),
    job: keys.job('check-table'),
    bulkJob: keys.bulkJob('1'),
    jobSlice: keys.jobSlice('1', 2),
    jobResults: keys.jobResults('1', 2),
    activeJob: keys.activeJob('acme'),
    linkedIdentity: keys.linkedIdentity('1'),
    linkedIdentityOf: keys.linkedIdentityOf('1', '2'),
    session: keys.session('1'),
    sessionOf: keys.sessionOf('1', '2'),
    sessionOfProvider: keys.sessionOfProvider('https://idp.example', '1', '2'),
    disabledProvider: keys.disabledProvider('corporate'),
    sessionAtProvider: keys.sessionAtProvider('corporate', '1'),
    group: keys.group('builders', 'acme', '1'),
    releases: keys.releases(),
  };
  const kinds = Object.values(recordKinds).join('|');
  /** Documented forms of a column, such as `WS#<id>`, as patterns. */
  const formsIn = (column: string): RegExp[] =>
    [...column.matchAll(/`([^`]+)`/g)].map(
      ([, form = '']) =>
        new RegExp(
          `^${form
            .replaceAll('.', '\\.')
            .replaceAll('<KIND>', `(${kinds})`)
            .replaceAll(/<[^>]+>/g, '[^#]+')}$`,
        ),
    );
  const rows = [...readPage('docs/architecture.md').matchAll(/^\| (?!Item ).* \| (.*`.*) \| (.*`.*) \|$/gm)].map(
    ([, pk = '', sk = '']) => ({ pk: formsIn(pk), sk: formsIn(sk) }),
  );
  const matches = (row: (typeof rows)[number], key: Key): boolean =>
    row.pk.some((form) => form.test(key.pk)) && row.sk.some((form) => form.test(key.sk));

  it.each(Object.entries(samples))('has a row for the key %s', (_, key) => {
    expect(rows.some((row) => matches(row, key))).toBe(true);
  });

  it('has no row without a key', () => {
    expect(rows.filter((row) => !Object.values(samples).some((key) => matches(row, key)))).toEqual([]);
  });
});

describe('the check of limits in prose', () => {
  it('reports a limit that is stated with another number, and a number that is not compared', () => {
    const text = '**VAR-3** The rest has 1 to 128\ncharacters. A workspace has at most 1,000 keys.';
    expect(missingStatements('docs/reference/locks.md', text)).toEqual(['has at most 1,000 characters']);
    expect(unknownStatements('docs/reference/locks.md', text)).toEqual(['1 to 128 characters', 'at most 1,000 keys']);
  });
});

describe('the link check', () => {
  it('reports a missing file, anchor, path, name of a test file, and script', () => {
    const text =
      '[a](no.md) [b](../README.md#nowhere) [c](../README.md#quickstart) `test/no-file.ts` `no-file.test.ts` `npm run no-script`';
    expect(brokenLinks('docs/glossary.md', text)).toEqual(['no.md', '../README.md#nowhere']);
    expect(missingPaths(text)).toEqual(['test/no-file.ts', 'no-file.test.ts']);
    expect(missingScripts(text)).toEqual(['no-script']);
  });

  it('passes over links in code and over external links', () => {
    expect(
      brokenLinks('docs/glossary.md', '`[a](no.md)` [b](https://example.com/x.md)\n```sh\n[c](no.md)\n```\n'),
    ).toEqual([]);
  });

  it('numbers repeated headings and drops punctuation from anchors', () => {
    expect([...anchorsIn('# Run it, locally\n## `x` y\n## `x` y\n')]).toEqual(['run-it-locally', 'x-y', 'x-y-1']);
  });
});

import { describe, expect, it } from 'vitest';
import { adminCommands } from '../../../functions/admin/parameters.ts';
import { timeoutSeconds } from '../../../infra/constructs/function.ts';
import { outputName, publishedValues } from '../../../infra/constructs/published-values.ts';
import { hubSettingDefinitions, hubValues } from '../../../infra/hub/hub-definitions.ts';
import { parseAdminArguments, splitTarget } from '../../../infra/local/cli/admin-arguments.ts';
import { RESPONSE_MILLIS } from '../../../infra/local/cli/send-until-done.ts';
import { settingDefinitions } from '../../../infra/settings/settings.ts';
import { functionNames, hubFunctionNames, memberFunctionNames } from '../../../shared/runtime/environment.ts';
import { markdownPages } from '../../support/docs/links.ts';
import { readPage } from '../../support/docs/pages.ts';

/** A command in a page, with its continued lines joined. */
interface PageCommand {
  readonly page: string;
  readonly text: string;
}

const pages = markdownPages().filter((page) => page === 'README.md' || /^docs\/(?!decisions|develop)/.test(page));
const textOf = (page: string): string => readPage(page).replaceAll(/\\\n\s*/g, '');

/** Finds what follows a text in the code of all pages, up to the end of the command. */
const commandsAfter = (pattern: RegExp): readonly PageCommand[] =>
  pages.flatMap((page) => [...textOf(page).matchAll(pattern)].map(([, text = '']) => ({ page, text: text.trim() })));

const pageCommands = commandsAfter(/npm run (?:-s |--silent )?admin -- ([^`\n|]+)/g).filter(
  // `local-token` is not a command of the function.
  ({ text }) => !text.includes('<command>') && !text.startsWith('local-token'),
);

describe('commands in the documentation', () => {
  it.each(pageCommands)('has parameters that the function admin accepts: $text in $page', ({ text }) => {
    expect(() => adminCommands.read(parseAdminArguments(splitTarget(text.split(/\s+/)).words))).not.toThrow();
  });

  it('reaches a deployment in AWS, not the local service, on every page about operation', () => {
    const local = pageCommands.filter(
      ({ page, text }) => page.startsWith('docs/operate/') && splitTarget(text.split(/\s+/)).target === undefined,
    );
    expect(local).toEqual([]);
    expect(pageCommands.filter(({ page }) => page.startsWith('docs/operate/')).length).toBeGreaterThan(5);
  });

  it('waits longer for the function admin than the function may take', () => {
    expect(RESPONSE_MILLIS).toBeGreaterThan(1_000 * timeoutSeconds('admin'));
  });

  it('has payloads for the function admin that it accepts', () => {
    const payloads = commandsAfter(/function-name holdfast-admin .*--payload '([^']+)'/g);
    expect(payloads.length).toBeGreaterThan(1);
    for (const { page, text } of payloads)
      expect(() => adminCommands.read(JSON.parse(text)), `${text} in ${page}`).not.toThrow();
  });

  it('passes settings that exist to the CDK', () => {
    const known = { ...settingDefinitions, ...hubSettingDefinitions, name: undefined };
    const named = commandsAfter(/ -c (\w+)=/g);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ text }) => !Object.hasOwn(known, text))).toEqual([]);
  });

  it('invokes functions that exist', () => {
    const known = new Set<string>([...functionNames, ...memberFunctionNames, ...hubFunctionNames]);
    const named = commandsAfter(/--function-name holdfast-([\w-]+)/g);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter(({ text }) => !known.has(text))).toEqual([]);
  });

  it('names outputs that the stacks have', () => {
    const values = [...Object.keys(publishedValues), ...Object.keys(hubValues)] as Parameters<typeof outputName>[0][];
    // The last one is in the message of a queue.
    const others = ['ApiDomainTarget', 'DistributionDomainName', 'OriginSecretArns', 'WebAclArn', 'ReceiptHandle'];
    const known = new Set([...values.map(outputName), ...others]);
    const named = [...commandsAfter(/<([A-Z][a-z]\w+)(?: of the \w+)?>/g), ...commandsAfter(/[Oo]utput `(\w+)`/g)];
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter(({ text }) => !known.has(text))).toEqual([]);
  });
});

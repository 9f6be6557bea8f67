import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../infra/local/service/service.ts';
import type { editionNames } from '../../shared/domain/editions.ts';
import { documentOf } from '../../shared/openapi/document.ts';
import { installedGenerators } from '../support/clients/generators.ts';
import { removedAfterwards } from '../support/local/small-assembly.ts';
import { synthesizedOnce } from '../support/setup/build-once.ts';

/** Clients that are generated from the OpenAPI document, compiled without an edit, and used. */
const generators = installedGenerators();

describe.skipIf(generators.length === 0)('clients generated from the OpenAPI document', () => {
  const folder = removedAfterwards();
  let service: Service;
  beforeAll(async () => {
    service = await startService({ dataFolder: join(folder, 'data'), assembly: await synthesizedOnce() });
  });
  afterAll(() => service?.stop());

  const build = (
    { generator, folder: installed }: (typeof generators)[number],
    edition: (typeof editionNames)[number],
  ) => {
    const own = join(folder, `${generator.name}-${edition}`);
    mkdirSync(own);
    const document = join(own, 'openapi.json');
    writeFileSync(document, JSON.stringify(documentOf(edition)));
    return { own, command: generator.build(installed, own, document) };
  };

  it.each(generators)(
    '$generator.name $generator.version: creates, locks, and lists a workspace',
    async (installed) => {
      const { own, command } = build(installed, 'self-hosted');
      const [program = '', ...words] = command;
      const { stdout } = await promisify(execFile)(program, words, {
        cwd: own,
        env: { ...process.env, ORIGIN: service.origin, TOKEN: service.token },
      });
      const { id, locked, listed } = JSON.parse(stdout) as { id: string; locked: boolean; listed: readonly string[] };
      expect(id).toMatch(/^ws-/);
      expect({ locked, listed }).toEqual({ locked: true, listed: [id] });
    },
  );

  it.each(generators)('$generator.name $generator.version: compiles for the hosted edition', (installed) => {
    expect(build(installed, 'hosted').command).not.toEqual([]);
  });
});

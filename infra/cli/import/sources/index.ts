import { usageError } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';
import type { ImportDescription } from '../folder.ts';
import type { Source } from '../source.ts';
import { resolveTfeAddress } from '../tfe/address.ts';
import { openBundleSource } from './bundle.ts';
import { openFiles } from './files.ts';
import { openS3 } from './s3.ts';
import { openTerraform } from './terraform.ts';
import { openTfeSource } from './tfe.ts';

/** Options of an import that its source needs. */
type Options = Pick<ImportDescription, 'partial' | 'rate' | 'computer'>;

type Opener = (invocation: Invocation, address: string, options: Options) => Promise<Source>;

/** The kinds of sources by the beginning of their addresses. */
const openers: Readonly<Record<string, Opener>> = {
  bundle: ({ io }, address, { partial }) => openBundleSource(io, address.replace(/^bundle:/, ''), partial),
  files: ({ io }, address, { computer }) => openFiles(io, address, computer),
  s3: ({ io }, address) => openS3(io, address),
  terraform: ({ io }, address, { computer }) => openTerraform(io, address, computer),
  tfe: async ({ io }, address, { rate }) => openTfeSource(io, { ...(await resolveTfeAddress(io, address)), rate }),
};

/** Opens the source of an import. @throws Failure `usage` for an address of another form. */
export const openSource = (
  invocation: Invocation,
  { source, ...options }: Options & Pick<ImportDescription, 'source'>,
): Promise<Source> => {
  const [, kind = ''] = /^([a-z0-9]+):./.exec(source) ?? [];
  const open = openers[kind];
  if (open === undefined) {
    throw usageError(
      `"${source}" is not a source.`,
      'Write tfe://HOST/ORGANIZATION, s3://BUCKET/PREFIX, terraform:FOLDER, files:FOLDER or bundle:FOLDER.',
    );
  }
  return open(invocation, source, options);
};

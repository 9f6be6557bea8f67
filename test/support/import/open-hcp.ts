import type { Source } from '../../../infra/cli/import/source.ts';
import { openTfeSource } from '../../../infra/cli/import/sources/tfe.ts';
import { resolveTfeAddress } from '../../../infra/cli/import/tfe/address.ts';
import type { ContextBed } from '../cli/context-bed.ts';
import type { HcpServer } from './hcp-server.ts';

/**
 * Opens a server as a source. Waiting takes no time.
 * @param send replaces `fetch`.
 */
export const openHcp = async (context: ContextBed, { address, token }: HcpServer, send = fetch): Promise<Source> => {
  const io = { ...context.io({ HOLDFAST_SOURCE_TOKEN: token }), fetch: send };
  return openTfeSource(io, { ...(await resolveTfeAddress(io, address)), rate: 1_000 });
};

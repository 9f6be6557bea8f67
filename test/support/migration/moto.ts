import { LOOPBACK } from '../../../infra/local/http/loopback.ts';
import { findFreePort } from '../clients/free-port.ts';
import { moto } from '../clients/programs.ts';
import { startProcess } from './process.ts';

/** Starts moto. @returns its origin, at which all services of AWS are. */
export const startMoto = async (): Promise<{ readonly origin: string; readonly stop: () => Promise<void> }> => {
  const port = await findFreePort();
  const origin = `http://${LOOPBACK}:${port}`;
  const words = [moto.path, '-H', LOOPBACK, '-p', String(port)];
  return { origin, ...(await startProcess(words, {}, async () => (await fetch(origin)).status > 0)) };
};

import { join } from 'node:path';
import { type Service, startService } from '../../../infra/local/service/service.ts';
import { synthesizedOnce } from '../setup/build-once.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';
import type { Program } from './programs.ts';
import { startTlsProxy } from './tls-proxy.ts';

/** Service behind a TLS proxy, as clients expect it: they discover the API at `https://<host>`. */
export interface SecureService {
  readonly service: Service;
  /** `localhost:40123` */
  readonly host: string;
  /** Certificate of the proxy, as a file. */
  readonly certificateFile: string;
  /** Environment variables with which the Go programs trust the certificate of the proxy. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Writes a configuration to a folder and runs a command line in it.
   * @param moreSettings is added to the CLI configuration file.
   */
  open(program: Program, folder: string, configuration: string, moreSettings?: string, token?: string): CommandLine;
  stop(): Promise<void>;
}

/** Starts the service and a TLS proxy with data in a folder. */
export const startSecureService = async (folder: string): Promise<SecureService> => {
  const proxy = await startTlsProxy(folder);
  const service = await startService({
    dataFolder: join(folder, 'data'),
    // As `npm start` does, except that deleted workspaces are not kept: an organization with such workspaces cannot be
    // deleted, and a client destroys both in one run.
    assembly: await synthesizedOnce({ usersMayCreateOrganizations: true, deletedWorkspaceDays: 0 }),
    publicUrl: `https://${proxy.host}`,
  });
  proxy.forwardTo(service.origin);
  const environment = { SSL_CERT_FILE: proxy.certificateFile };
  return {
    service,
    host: proxy.host,
    certificateFile: proxy.certificateFile,
    environment,
    open: (program, folderOfTest, configuration, moreSettings = '', token = service.token ?? '') =>
      openCommandLine(
        {
          program: program.path,
          folder: folderOfTest,
          settings: `disable_checkpoint = true\ncredentials "${proxy.host}" { token = "${token}" }\n${moreSettings}`,
          environment,
        },
        configuration,
      ),
    stop: async () => {
      await service.stop();
      await proxy.stop();
    },
  };
};

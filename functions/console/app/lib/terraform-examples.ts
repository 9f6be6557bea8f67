import { LOCAL_HOST } from '../../../../shared/client/host-block.ts';

/** Reports whether terraform and tofu find this service by its host. They read service discovery with HTTPS only. */
export const isFoundByHost = (): boolean => window.location.protocol === 'https:';

/** Returns the host name of this service in configurations of terraform and tofu. */
const hostname = (): string => (isFoundByHost() ? window.location.host : LOCAL_HOST);

/** Returns the name of the variable from which terraform and tofu read a token for this service. It has no port. */
export const tokenVariable = (): string =>
  `TF_TOKEN_${hostname().replace(/:\d+$/, '').replaceAll('-', '__').replaceAll('.', '_')}`;

/** Builds the line with which terraform and tofu use a token for this service. */
export const tokenLine = (token: string): string => `export ${tokenVariable()}=${token}`;

/** Builds the configuration that connects a folder with a workspace. */
export const cloudBlock = (organization: string, workspace: string): string => `\
terraform {
  cloud {
    hostname     = "${hostname()}"
    organization = "${organization}"
    workspaces { name = "${workspace}" }
  }
}`;

/** Builds the configuration of the Terraform provider tfe for this service, which examples begin with. */
export const providerExample = (organization: string): string =>
  `# Reads the token from TFE_TOKEN, or where terraform login has stored it.\nprovider "tfe" {\n  hostname     = "${hostname()}"\n  organization = "${organization}"\n}\n\n`;

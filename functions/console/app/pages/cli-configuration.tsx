import { useQuery } from '@tanstack/react-query';
import { hostBlock, LOCAL_HOST, type Services, showDiscovery } from '../../../../shared/client/host-block.ts';
import { apiQuery } from '../api/query-client.ts';
import { CodeBlock } from '../components/code-block.tsx';
import { Loaded } from '../components/loaded.tsx';

/** Name of the CLI configuration file in the examples. */
export const CLI_FILE = 'holdfast.tfrc';

/** Line that makes terraform and tofu read the file in the folder. */
export const exportLine = `export TF_CLI_CONFIG_FILE=$PWD/${CLI_FILE}`;

/** Shows the CLI configuration file with which terraform and tofu find a service without HTTPS. @param token of the caller. */
export const CliConfiguration = ({ token = 'YOUR_TOKEN' }: { readonly token?: string | undefined }) => {
  const discovery = useQuery(apiQuery(showDiscovery()));
  return (
    <Loaded query={discovery}>
      {({ document: { 'login.v1': _, ...services } }) => (
        <CodeBlock
          label={CLI_FILE}
          code={[
            ...hostBlock(services as Services, window.location.origin),
            `credentials "${LOCAL_HOST}" { token = "${token}" }`,
          ].join('\n')}
        />
      )}
    </Loaded>
  );
};

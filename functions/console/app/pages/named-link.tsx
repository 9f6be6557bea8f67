import { useQuery } from '@tanstack/react-query';
import { showAgentPool, showSshKey } from '../../../../shared/client/integrations.ts';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import { apiQuery } from '../api/query-client.ts';
import { ResourceLink } from '../components/resource-link.tsx';
import { toVisible } from '../components/visible-text.tsx';

type Named = { readonly data: { readonly attributes: { readonly name: string } } };

/** Requests of resources that others refer to by their ids only. */
const requests = {
  'agent-pools': showAgentPool,
  'ssh-keys': showSshKey,
} satisfies Record<string, (id: string) => ApiRequest<Named>>;

interface NamedLinkProps {
  readonly type: keyof typeof requests;
  readonly id: string;
}

/** Loads the name of a resource and shows it as a link, or the id to users who may not see it. */
export const NamedLink = ({ type, id }: NamedLinkProps) => {
  const loaded = useQuery({ ...apiQuery<Named>(requests[type](id)), retry: false }).data;
  if (loaded === undefined) return toVisible(id);
  return <ResourceLink type={type} id={id} name={loaded.document.data.attributes.name} />;
};

import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { ConfigurationVersion } from '../../shared/domain/runs/configuration-versions.ts';
import type { Operations } from '../../shared/http/operation.ts';
import {
  configurationVersionResource,
  ingressResource,
} from '../../shared/resources/configuration-versions/response.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import type { Store } from '../../shared/store/store.ts';

/** Finds a configuration version for a caller who may read the runs of its workspace. @throws DomainError 401, 404. */
const findVersion = async (store: Store, digest: string, id: string): Promise<ConfigurationVersion> => {
  const target = { owner: () => store.configurationVersions.findPlace(id) };
  const { results: version } = await authorizeWorkspace(store, digest, target, 'run.read', ({ workspace }) =>
    store.configurationVersions.find(workspace, id),
  );
  if (version === undefined) throw notFound();
  return version;
};

export const configurationVersionOperations = {
  /** `GET /configuration-versions/:configuration_version_id` */
  'configuration-versions.show': async ({ digest, parameters, include }, { store }) => {
    const version = await findVersion(store, digest, parameters.configuration_version_id);
    const { ingress } = version.description;
    return {
      data: configurationVersionResource(version),
      ...(include.size > 0 && { included: ingress === null ? [] : [ingressResource(version, ingress)] }),
    };
  },

  /** `GET /configuration-versions/:configuration_version_id/ingress-attributes` */
  'configuration-versions.ingress-attributes': async ({ digest, parameters }, { store }) => {
    const version = await findVersion(store, digest, parameters.configuration_version_id);
    const { ingress } = version.description;
    if (ingress === null) throw notFound();
    return { data: ingressResource(version, ingress) };
  },
} satisfies Partial<Operations<'runs', Dependencies>>;

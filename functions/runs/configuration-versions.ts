import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { ConfigurationVersion } from '../../shared/domain/runs/configuration-versions.ts';
import type { Operation } from '../../shared/http/operation.ts';
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

/** `GET /configuration-versions/:configuration_version_id` */
export const showConfigurationVersion =
  ({ store }: Dependencies): Operation<'configuration-versions.show'> =>
  async ({ digest, parameters, include }) => {
    const version = await findVersion(store, digest, parameters.configuration_version_id);
    const { ingress } = version.description;
    return {
      data: configurationVersionResource(version),
      ...(include.size > 0 && { included: ingress === null ? [] : [ingressResource(version, ingress)] }),
    };
  };

/** `GET /configuration-versions/:configuration_version_id/ingress-attributes` */
export const showIngressAttributes =
  ({ store }: Dependencies): Operation<'configuration-versions.ingress-attributes'> =>
  async ({ digest, parameters }) => {
    const version = await findVersion(store, digest, parameters.configuration_version_id);
    const { ingress } = version.description;
    if (ingress === null) throw notFound();
    return { data: ingressResource(version, ingress) };
  };

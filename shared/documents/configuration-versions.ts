import type { ConfigurationVersion } from '../domain/runs/configuration-versions.ts';
import type { Resource } from '../jsonapi/document.ts';
import { configurationVersionResource, ingressResource } from '../resources/configuration-versions/response.ts';

/** A configuration version, with the commit that it was made from or without. */
export const versionResources = (
  version: ConfigurationVersion | undefined,
  withIngress: boolean,
): readonly Resource[] => {
  if (version === undefined) return [];
  const { ingress } = version.description;
  return [
    configurationVersionResource(version),
    ...(withIngress && ingress ? [ingressResource(version, ingress)] : []),
  ];
};

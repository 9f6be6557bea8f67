import type { ConfigurationVersion } from '../domain/runs/configuration-versions.ts';
import type { Resource } from '../jsonapi/document.ts';
import { configurationVersionResource, ingressResource } from '../resources/configuration-versions/response.ts';

/** Builds the resource of a configuration version and, if requested, the resource of its commit. */
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

import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOne, toOneLinked } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes, ingressAttributes as ingressAttributeTable, readmeAttributes } from './attributes.ts';

const VERSION = `${BASE_PATH}/configuration-versions/cv-CvpbqPPtsWSnyrTk`;

export const configurationVersion = resource('ConfigurationVersion', {
  type: 'configuration-versions',
  description: 'The configuration that a run uses, as its runner reported it.',
  id: id(prefixes.configurationVersion),
  attributes: responseProperties(attributes),
  relationships: { workspace: toOne('workspaces'), 'ingress-attributes': toOneLinked('ingress-attributes') },
  links: { self: path(VERSION) },
});

export const ingressAttributes = resource('IngressAttributes', {
  type: 'ingress-attributes',
  description: 'The commit that a configuration version was created from.',
  id: id(prefixes.ingressAttributes),
  attributes: responseProperties(ingressAttributeTable),
  links: { self: path(`${VERSION}/ingress-attributes`) },
});

export const readme = resource('WorkspaceReadme', {
  type: 'workspace-readme',
  description: 'The README.md of a configuration version, up to 256 KB.',
  id: id(prefixes.configurationVersion),
  attributes: responseProperties(readmeAttributes),
});

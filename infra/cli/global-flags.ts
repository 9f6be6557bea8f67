import { listOrganizations } from '../../shared/client/organizations.ts';
import { type Complete, flag, type Parameters, text } from './parameters.ts';

const completeOrganization: Complete = async ({ api }) => {
  const { document } = await api.lookUp(listOrganizations());
  return document.data.map(({ id }) => id);
};

/** The flags of every command, which may stand before its words, between them and after them. */
export const globalFlags = {
  org: text(
    'Organization. Default: HOLDFAST_ORG, the cloud block of the folder, or your only one.',
    'NAME',
    completeOrganization,
  ),
  url: text('Address of the service. Default: HOLDFAST_URL, the cloud block of the folder, or the last login.', 'URL'),
  json: flag('Print JSON. --json=NAME,… selects fields, --json=? lists them.'),
  csv: flag('Print CSV with a header. --csv=NAME,… selects fields.'),
  curl: flag('Print the request as a curl command in place of sending it.'),
} satisfies Parameters;

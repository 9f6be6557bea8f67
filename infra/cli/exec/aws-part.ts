export { defaultRegion, domainOf, openAws, openSignedRequests } from './aws.ts';
export { readValues } from './read-values.ts';

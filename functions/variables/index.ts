import { readEnvironment } from '../../shared/env.ts';
import { endpoints } from '../../shared/http/endpoints.ts';
import { openSeal } from '../../shared/secrets/seal.ts';
import { openServices } from '../../shared/services.ts';

const { SECRETS_KEY_ARN } = readEnvironment('variables');
const services = { ...openServices('variables'), seal: openSeal(SECRETS_KEY_ARN) };

export const handler = endpoints('variables', {}, services);

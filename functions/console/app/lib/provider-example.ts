/** Builds the configuration of the Terraform provider tfe for this service, which examples begin with. */
export const providerExample = (organization: string): string =>
  `# Reads the token from TFE_TOKEN, or where terraform login has stored it.\nprovider "tfe" {\n  hostname     = "${window.location.host}"\n  organization = "${organization}"\n}\n\n`;

/** Returns the name of a command on the command line: `create-organization` for `createOrganization`. */
export const commandName = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

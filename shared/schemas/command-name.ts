/** `createOrganization` as it is called: `create-organization`. */
export const commandName = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

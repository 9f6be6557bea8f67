/** Returns the cookies of a response, as the header of the next request has them. */
const keepCookies = (jar: Map<string, string>, response: Response): void => {
  for (const cookie of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    jar.set(name, value);
  }
};

/** A browser of a person at the embedded identity provider. It keeps cookies, and runs no scripts. */
export const openBrowser = (issuer: string) => {
  const jar = new Map<string, string>();
  const send = async (url: URL, body?: URLSearchParams): Promise<Response> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const method = body === undefined ? 'GET' : 'POST';
    const response = await fetch(url, { method, redirect: 'manual', headers: { cookie }, ...(body && { body }) });
    keepCookies(jar, response);
    return response;
  };

  /** Follows redirects within the provider. @returns the address to which it redirects, or the page that it shows. */
  const follow = async (
    start: URL,
    body?: URLSearchParams,
  ): Promise<{ readonly url: URL; readonly page?: Response }> => {
    let [url, response] = [start, await send(start, body)];
    while (response.headers.has('location')) {
      url = new URL(response.headers.get('location') as string, url);
      if (url.origin !== issuer) return { url };
      response = await send(url);
    }
    return { url, page: response };
  };

  return {
    follow,
    /**
     * Signs in as a person, unless the browser is signed in.
     * @param authorization URL of the authorization request.
     * @param sub of the person; '' cancels the sign-in.
     * @returns the address of the client to which the provider redirects.
     * @throws Error with the page of the provider if it refuses.
     */
    signIn: async (authorization: string | URL, sub: string): Promise<URL> => {
      let reached = await follow(new URL(authorization));
      if (reached.page?.ok) reached = await follow(reached.url, new URLSearchParams({ person: sub }));
      if (reached.page !== undefined) throw new Error(await reached.page.text());
      return reached.url;
    },
  };
};

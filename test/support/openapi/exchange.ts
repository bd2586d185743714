/** One request and its response, as far as the documents tell of them. */
export interface Exchange {
  method: string;
  /** Path of the request, without its query. */
  path: string;
  /** JSON text of the request's body, where it has one. */
  sent: string | undefined;
  status: number;
  contentType: string | null;
  retryAfter: string | null;
  /** JSON text of the response; undefined where the response is no JSON. */
  body: string | undefined;
}

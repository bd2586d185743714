/** One request and its answer, as far as the documents tell of them. */
export interface Exchange {
  method: string;
  /** Path of the request, without its query. */
  path: string;
  /** JSON text of the request's body, where it has one. */
  sent: string | undefined;
  status: number;
  contentType: string | null;
  retryAfter: string | null;
  /** JSON text of the answer; undefined where the answer is no JSON. */
  body: string | undefined;
}

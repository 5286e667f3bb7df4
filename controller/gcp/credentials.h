/* credentials: what Google's application-default credentials say of who asks, and the requests for an access token that
 * follow from it (https://google.aip.dev/auth/4110): a service account's key (a JWT of RFC 7523, signed with RS256), a
 * person's refresh token as gcloud stores it, or, without a file, the metadata server of the machine (Workload
 * Identity).
 */
#ifndef GCP_CREDENTIALS_H
#define GCP_CREDENTIALS_H

#include "base/buf.h"
#include "base/error.h"

enum gcp_credentials_kind { GCP_METADATA, GCP_SERVICE_ACCOUNT, GCP_AUTHORIZED_USER };

struct gcp_credentials {
    enum gcp_credentials_kind kind;
    char *type;                                      /* as the file names it */
    char *client_email, *private_key, *token_uri;    /* service account */
    char *client_id, *client_secret, *refresh_token; /* authorized user */
    char *metadata_url;                              /* without "/" at its end */
};

/* json: of a credentials file; empty: the metadata server. Names no secret in *err. */
int gcp_credentials_parse(struct gcp_credentials *c, struct slice json, struct error **err);
void gcp_credentials_done(struct gcp_credentials *c);
/* The file that the environment names or gcloud wrote; NULL: none (heap). */
char *gcp_credentials_path(void);

/* The request: url (heap), and the form to post; an empty form: GET with "Metadata-Flavor: Google". */
int gcp_credentials_request(const struct gcp_credentials *c, int64_t now_s, char **url, struct buf *form,
                            struct error **err);
/* The reply's token (heap) and how long it holds; an error that says what the endpoint said. */
int gcp_credentials_reply(struct slice body, int status, char **token, int64_t *expires_s, struct error **err);

#endif

/* A quoted line holds no secret, and stays readable. All tokens here are made up. */
#include "harness.h"
#include "random.h"

#include "base/mem.h"
#include "rootcause/mask.h"

#include <stdlib.h>

static void check_quote(const char *line, const char *quoted) {
    char text[QUOTE_BYTES];
    quote_line(text, slice_of(line), 0);
    CHECK_TEXT(text, quoted);
}

TEST(a_quoted_line_holds_no_secret) {
    static const struct {
        const char *line, *quoted;
    } lines[] = {
        {"401 Client Error: token=abcdef123456", "401 Client Error: token=***"},
        {"Error https://me:pass@host/x", "Error https://***@host/x"},
        {"mysql://root:pa:ss@w0rd@host/db?to=a@b", "mysql://***@host/db?to=a@b"},
        {"PASSWORD = 'correct horse battery' is wrong", "PASSWORD = '***' is wrong"},
        {"{\"db_password\": \"hunter two\", \"user\": \"me\"}", "{\"db_password\": \"***\", \"user\": \"me\"}"},
        {"Authorization: 'Bearer abc def' sent", "Authorization: 'Bearer ***' sent"},
        {"passphrase=sesame keyPassphrase: x", "passphrase=*** keyPassphrase: x"},
        {"hf_abcdefghijklmnop is invalid", "*** is invalid"},
        {"key 0123456789abcdef0123456789abcdef01234567", "key ***"},
        {"?X-Amz-Signature=abc&x=1", "?X-Amz-Signature=***&x=1"},
        {"Error\x1b[31m red", "Error [31m red"},
        {"File \"/usr/lib/python3.11/site-packages/a.py\"", "File \"/usr/lib/python3.11/site-packages/a.py\""},
        /* headers */
        {"Authorization: Bearer abc.def", "Authorization: Bearer ***"},
        {"Authorization: Token 0a1b2c failed", "Authorization: Token *** failed"},
        {"Authorization: Basic dXNlcjpw, x", "Authorization: Basic ***, x"},
        {"Authorization: 0a1b2c3d failed", "Authorization: *** failed"},
        {"{'Authorization': 'Bearer abc'}", "{'Authorization': 'Bearer ***'}"},
        {"Authorization: AWS4-HMAC-SHA256 Credential=AK/x, SignedHeaders=host, Signature=fe5f",
         "Authorization: *** Credential=***, SignedHeaders=host, Signature=***"},
        {"Bearer tokens are refused", "Bearer *** are refused"},
        /* options, members, variables */
        {"train.py --hf-token abc --max-steps 5", "train.py --hf-token *** --max-steps 5"},
        {"login -u me --password hunter2 host", "login -u me --password *** host"},
        {"{\"authToken\": \"abc\", \"clientSecret\":\"d\"}", "{\"authToken\": \"***\", \"clientSecret\":\"***\"}"},
        {"PGPASSWORD=hunter2 psql", "PGPASSWORD=*** psql"},
        {"WANDB_API_KEY=abc AWS_SECRET_ACCESS_KEY=d", "WANDB_API_KEY=*** AWS_SECRET_ACCESS_KEY=***"},
        {"DefaultEndpointsProtocol=https;AccountName=a;AccountKey=abc+d/e==;x",
         "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=***;x"},
        {"https://a.blob.core.windows.net/c?sv=1&sig=a%2Fb%3D&se=2",
         "https://a.blob.core.windows.net/c?sv=1&sig=***&se=2"},
        {"curl -u me:hunter2 https://x", "curl -u me:*** https://x"},
        {"python -u train.py: error", "python -u train.py: error"},
        {"sshpass -p hunter2 ssh x", "sshpass -p *** ssh x"},
        {"passphrase \"correct horse battery\" is wrong", "passphrase \"***\" is wrong"},
        {"\u5bc6\u7801\uff1ahunter2", "\u5bc6\u7801\uff1a***"},
        {"Passwort: hunter2", "Passwort: ***"},
        /* commands */
        {"mysql -h db -u root -phunter2 -p train", "mysql -h db -u root -p*** -p train"},
        {"redis-cli -a hunter2 -h cache", "redis-cli -a *** -h cache"},
        {"docker run -p 8080:80 x; docker login -u me -p hunter2 x",
         "docker run -p 8080:80 x; docker login -u me -p *** x"},
        {"docker login --password hunter2", "docker login --password ***"},
        {"sshpass -p 'hunter 2' ssh x", "sshpass -p '***' ssh x"},
        {"curl --user \"me:hunter2\" x", "curl --user \"me:***\" x"},
        {"smbclient -U me%hunter2 //x", "smbclient -U me%*** //x"},
        {"openssl enc -pass pass:hunter2 -in x", "openssl enc -pass pass:*** -in x"},
        {"unzip -Phunter2 x.zip | ssh -p 22 y", "unzip -P*** x.zip | ssh -p 22 y"},
        {"wandb login hunter2hunter2", "wandb login ***"},
        {"kubectl create secret generic x --from-literal=key=hunter2",
         "kubectl create secret generic x --from-literal=key=***"},
        {"mount -o user=me,pass=hunter2 x", "mount -o user=me,pass=*** x"},
        {"az storage blob list --account-key a/b== --name x", "az storage blob list --account-key *** --name x"},
        /* names and signs of other languages and encodings */
        {"['--password', 'hunter2', '--steps', '5']", "['--password', '***', '--steps', '5']"},
        {"\"password\" => \"hunter2\", :password => x", "\"password\" => \"***\", :password => ***"},
        {"<password>hunter2</password>", "<password>***</password>"},
        {"Password(\"hunter2\"), token=Token('x')", "Password(\"***\"), token=Token('***')"},
        {"{'token': b'hunter2', 'n': 1}", "{'token': b'***', 'n': 1}"},
        {"{\"token\": {\"value\": \"hunter2\"}}", "{\"token\": {\"value\": \"***\"}}"},
        {"{\"token\": [\"hunter2\"]}", "{\"token\": [\"***\"]}"},
        {"password%3Dhunter2 token\\u003dhunter2", "password%3D*** token\\u003d***"},
        {"secret key = hunter2, Secret Access Key: x", "secret key = ***, Secret Access Key: ***"},
        {"SMTP_PASS=hunter2 one forward pass: failed", "SMTP_PASS=*** one forward pass: failed"},
        {"https://x/y?key=hunter2&z=1", "https://x/y?key=***&z=1"},
        {"Cookie: a=hunter2; b=hunter2", "Cookie: ***"},
        {"Authorization: Bearer    abc.def", "Authorization: Bearer    ***"},
        {"os.environ[\"HF_TOKEN\"] = \"hunter2\"", "os.environ[\"HF_TOKEN\"] = \"***\""},
        {"get(x, auth=('me', 'hunter2'))", "get(x, auth=('me', '***'))"},
        {"HTTPBasicAuth(\"me\", \"hunter2\")", "HTTPBasicAuth(\"me\", \"***\")"},
        {"wandb.login(key='hunter2')", "wandb.login(key='***')"},
        {"password for user me: Hunter2xQ", "password for user me: ***"},
        /* in a sentence */
        {"token is aB3dE6gH9 and invalid", "token is *** and invalid"},
        {"Invalid API key provided: aB3dE6gH9.", "Invalid API key provided: ***"},
        {"machine x login me password Hunter2xQ", "machine x login me password ***"},
        {"the token is not valid for Qwen2", "the token is not valid for Qwen2"},
        /* tokens that are known by their start */
        {"ak-aB3dE6gH9jK2 as-aB3dE6gH9jK2", "*** ***"},
        {"glrt-aB3dE6gH9jK2 LTAI5taB3dE6gH9 NRAK-AB3DE6GH9", "*** *** ***"},
        {"SG.abcdefgh.ijkl-mnop", "***"},
        {"ghp_0123456789abcdefghij", "***"},
        {"github_pat_11ABC_def0123", "***"},
        {"xoxb-1234-5678-abcdef", "***"},
        {"https://hooks.slack.com/services/T0/B0/abcdefgh", "https://***"},
        {"ya29.a0AfH6SMBx-y_z", "***"},
        {"jwt eyJhbGciOiJI.eyJzdWIi.c2ln end", "jwt *** end"},
        {"AKIAABCDEFGHIJKLMNOP", "***"},
        /* keys without a name */
        {"keys AKIAABCDEFGHIJKLMNOP wJq7rXUtnFEMIzK7MDENGxbPxRfiCYpTHISkEyab", "keys *** ***"},
        {"-----BEGIN PRIVATE KEY-----\\nMIIEvQ+a/b\\n-----END PRIVATE KEY-----",
         "-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----"},
        {"\"private_key\": \"-----BEGIN RSA PRIVATE KEY-----\\nMIIEvQ+a/b",
         "\"private_key\": \"-----BEGIN RSA PRIVATE KEY-----***"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        check_quote(lines[i].line, lines[i].quoted);
}

/* Secret keys of AWS are 40 characters of base64, storage keys of Azure 88, lines of a private key 64. */
TEST(a_random_key_is_hidden_without_a_name) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const int sizes[] = {40, 64, 88};
    enum { KEYS = 20000 };
    uint64_t r = random_setting("GOODPUT_SEED", 40);
    int shown = 0;
    for (int i = 0; i < KEYS; i++) {
        char key[89] = "", line[128], text[QUOTE_BYTES];
        for (int k = 0; k < sizes[i % 3]; k++)
            key[k] = digits[random_below(&r, 64)];
        snprintf(line, sizeof line, "InvalidAccessKeyId (%s)", key);
        quote_line(text, slice_of(line), 0);
        shown += strstr(text, "(***)") == NULL;
    }
    printf("keys of base64 that are shown: %d of %d\n", shown, KEYS);
    CHECK(shown * 200 <= KEYS);
}

TEST(paths_and_identifiers_are_not_hidden) {
    static const char *const lines[] = {
        "FileNotFoundError: /mnt/data/c4/train/shard-00017-of-01024.tfrecord",
        "OSError: /home/Train/Experiments/Llama3Pretraining70B/CheckpointsOfMonday/Step18000/OptimizerStates",
        "gs://bucket/llama3-70b/checkpoints/18000/state/params/decoder/layers_0/kernel.zarr",
        "File \"/opt/conda/lib/python3.10/site-packages/torch/distributed/distributed_c10d.py\", line 1234, in x",
        "huggingface_hub.errors.RepositoryNotFoundError in hf_hub_download(repo_id=x)",
        "RuntimeError: ProcessGroupNCCLWatchdogCaughtCollectiveOperationTimeout2 of DistributedDataParallelModel",
        "KeyError: 'model.layers.0.self_attn.q_proj.weight'",
        "ValueError: num_tokens 2048 exceeds max_tokens 1024; the tokenizer has 32000",
        "[rank3]: WorkNCCL(SeqNum=1204, OpType=ALLREDUCE, NumelIn=67108864, NumelOut=67108864, Timeout(ms)=600000)",
        "Node gke-tpu-3a5b1c2d-x7k9 of pod llama3-70b-slice-job-0-17-abcde",
        "NVRM: Xid (PCI:0000:9b:00): 79, pid=1234, name=python, GPU has fallen off the bus.",
        "AttributeError: module 'ray' has no attribute 'x'; as-is, ak-sk, token ids: see tokenizer(text)",
        "KeyError: 'key: model.layers.0.weight', auth backend, First pass: 12 of 30",
        "trying to connect to (worker-0.train.default.svc.cluster.local, 29500)",
    };
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        check_quote(lines[i], lines[i]);
}

/* Where the end of a long line is cut off, half a secret is not shown as if it were a word. */
TEST(half_a_secret_at_the_cut_is_not_shown) {
    char line[2 * QUOTE_BYTES + 100] = "", text[QUOTE_BYTES];
    for (size_t i = 0; i < 8; i++)
        strcat(line, "key 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcd ");
    quote_line(text, slice_of(line), 0);
    CHECK(strstr(text, "0123") == NULL);
}

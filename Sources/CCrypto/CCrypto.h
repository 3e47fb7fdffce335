#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <string.h>

/* Contexts that are ready for use or not there at all, and lists of OSSL_PARAM, whose members point at one another:
 * easier to get right in C. */

/* A context that has begun SHA-256, or NULL. */
static inline EVP_MD_CTX *cryptoNewSHA256(void) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1) {
        EVP_MD_CTX_free(context);
        return NULL;
    }
    return context;
}

/* A context that has begun HMAC-SHA-256, or NULL. An empty key is a key. */
static inline EVP_MAC_CTX *cryptoNewHMACSHA256(const void *key, size_t size) {
    static char digest[] = "SHA256";
    static const unsigned char none[1];
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_MAC *algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = algorithm == NULL ? NULL : EVP_MAC_CTX_new(algorithm);
    EVP_MAC_free(algorithm);
    if (context != NULL &&
        EVP_MAC_init(context, key == NULL ? none : (const unsigned char *)key, size, parameters) != 1) {
        EVP_MAC_CTX_free(context);
        return NULL;
    }
    return context;
}

/* An RSA public key of modulus and exponent, or NULL. */
static inline EVP_PKEY *cryptoMakeRSAPublicKey(const BIGNUM *modulus, const BIGNUM *exponent) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = NULL;
    OSSL_PARAM_BLD *list = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    if (list != NULL && context != NULL && OSSL_PARAM_BLD_push_BN(list, OSSL_PKEY_PARAM_RSA_N, modulus) == 1 &&
        OSSL_PARAM_BLD_push_BN(list, OSSL_PKEY_PARAM_RSA_E, exponent) == 1 &&
        (parameters = OSSL_PARAM_BLD_to_param(list)) != NULL && EVP_PKEY_fromdata_init(context) == 1 &&
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
        key = NULL;
    }
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(list);
    EVP_PKEY_CTX_free(context);
    return key;
}

/* Writes "sha256//" and the base64 of the digest of the certificate's public key into text; 1, or 0 for what is none.
 */
static inline int cryptoPublicKeyPin(const void *pem, int size, char *text, size_t room) {
    static const char prefix[] = "sha256//";
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned char *key = NULL;
    int made = 0;
    BIO *source = BIO_new_mem_buf(pem, size);
    X509 *certificate = source == NULL ? NULL : PEM_read_bio_X509(source, NULL, NULL, NULL);
    int length = certificate == NULL ? 0 : i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &key);
    unsigned int digested = 0;
    /* 32 bytes are 44 characters, with a zero byte behind them. */
    if (length > 0 && room >= sizeof prefix + 44 &&
        EVP_Digest(key, (size_t)length, digest, &digested, EVP_sha256(), NULL) == 1 && digested == 32) {
        memcpy(text, prefix, sizeof prefix);
        made = EVP_EncodeBlock((unsigned char *)text + sizeof prefix - 1, digest, (int)digested) == 44;
    }
    OPENSSL_free(key);
    X509_free(certificate);
    BIO_free(source);
    ERR_clear_error();
    return made;
}

/* 1 where PEM_read_bio(3) found no further block, 0 where it found a damaged one. */
static inline int cryptoIsEndOfPEM(void) {
    return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
}

/* memmem(3), which the C library's headers declare for _GNU_SOURCE alone. */
extern void *memmem(const void *text, size_t size, const void *wanted, size_t wantedSize);

/* OPENSSL_free(3) is a macro. */
static inline void cryptoFree(void *memory) {
    OPENSSL_free(memory);
}

#endif
